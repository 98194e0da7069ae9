//! The proof: events with gap-free numbers go through the bridge, a process of its own, while a
//! script of faults from a seed kills it, freezes it and takes away what it talks to. In the end
//! every id is looked for at the far end.
//!
//! `CENL_PROOF_MINUTES`, `CENL_PROOF_FAULTS` and `CENL_PROOF_KILLS` are the least that a run lasts;
//! `CENL_SEED` repeats a script; `CENL_PROOF_SUMMARY` names a file for the report. The rest stands in
//! `harness/options.rs`, `harness/memory.rs` and `harness/crowd.rs`.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "harness/parts.rs"]
mod harness;

#[path = "../live/support.rs"]
#[allow(dead_code, reason = "each binary of live tests uses its part")]
mod support;

use harness::crowd::Crowd;
use harness::memory::Stall;
use harness::options::Options;
use harness::run::run;
use support::exclusive::alone;

/// Nothing is lost, nothing overtakes, nothing is buried that could be delivered, on every pair,
/// whatever fails.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_pair_keeps_the_promise_under_faults() {
    let _turn = alone().await;
    let options = Options::from_environment();
    let report = run(&options).await;
    report.publish(&options);
    report.keeps_the_promise();
}

/// A receiver that takes nothing for a while costs the memory that the settings allow, whatever
/// waits in the logs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_receiver_costs_no_more_memory_than_the_settings_allow() {
    let _turn = alone().await;
    let stall = Stall::from_environment();
    let report = stall.run().await;
    report.publish();
    report.is_within_bounds();
}

/// Routes that stand still together hold what the process may, however many partitions they have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_routes_holds_no_more_memory_than_the_process_may() {
    let _turn = alone().await;
    let report = Crowd::from_environment().run().await;
    report.publish();
    report.is_within_bounds();
}
