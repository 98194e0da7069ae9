//! The proof can see loss: a bridge whose watermark overtakes what is not settled is caught by the
//! very harness that finds nothing wrong with the bridge itself.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../../tests/proof/harness/parts.rs"]
#[allow(dead_code, reason = "a part of the proof is enough")]
mod harness;

#[path = "../../tests/live/support.rs"]
#[allow(dead_code, reason = "each binary of live tests uses its part")]
mod support;

use std::time::Duration;

use harness::fault::Fault;
use harness::options::Options;
use harness::pair::ALL;
use harness::receiver::Mood;
use harness::run::play;
use harness::script::Scene;
use harness::world::World;

/// Half of the keys fail for a while, and the bridge is killed meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watermark_that_overtakes_is_caught() {
    let pairs = ALL.into_iter();
    let options = Options {
        pairs: pairs
            .filter(|pair| pair.name == "kafka-to-webhook")
            .collect(),
        ..Options::from_environment()
    };
    let world = World::build("proof-broken", &options).await;
    let storm = Mood::Fails {
        code: 500,
        half: true,
    };
    let scene = Scene {
        fault: Fault::Receiver(storm, Duration::from_secs(4)),
        kill_after: Some(Duration::from_secs(3)),
    };
    let enough = Duration::from_secs(15);
    // The first loss ends it: on a slow machine a kill may come before anything was overtaken.
    let three = |incidents: &[_], _| incidents.len() == 3;
    let report = play(world, &options, || scene, three, enough).await;
    let judgement = &report.judgements[0];
    println!("{:?}", report.faults());
    assert!(!judgement.lost.is_empty(), "the loss was not seen");
    assert!(judgement.strange.is_empty(), "{:?}", judgement.strange);
    // It says itself that all is done: nothing of this will ever come.
    assert!(
        !report
            .complaints
            .iter()
            .any(|what| what.contains("not committed")),
        "{:?}",
        report.complaints
    );
}

/// The switch is in this program, where the test of the bridge looks for it in vain.
#[test]
fn this_program_is_broken() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_cenl-bridge-broken")).unwrap();
    let name = b"overtake_on_purpose";
    assert!(program.windows(name.len()).any(|bytes| bytes == name));
}
