//! The promise, simulated: a route over the in-memory transport on a paused clock, with seeded
//! faults and crashes, many seeds. The seed is in every failure text.

#![allow(clippy::unwrap_used, reason = "tests")]

mod receiver;
mod world;

use world::World;

/// Whatever the receiver does and however often the bridge dies, every event arrives or is
/// dead-lettered, in the order of its key, and no endpoint is hurried.
#[test]
fn nothing_is_lost_or_overtaken_over_many_seeds() {
    let seeds = std::env::var("CENL_SEEDS").map_or(400, |seeds| seeds.parse().unwrap());
    let mut repeats = 0;
    for seed in 0..seeds {
        let report = World::new(seed).run();
        assert!(
            report.lost.is_empty(),
            "seed {seed}: lost {:?}",
            report.lost
        );
        assert!(
            report.overtaken.is_empty(),
            "seed {seed}: overtaken {:?}",
            report.overtaken
        );
        assert!(
            report.undeserved.is_empty(),
            "seed {seed}: needless dead letters {:?}",
            report.undeserved
        );
        assert_eq!(
            report.hurried, 0,
            "seed {seed}: sent before a Retry-After was over"
        );
        repeats += report.repeats;
    }
    println!("{seeds} seeds: 0 lost, 0 overtaken, {repeats} repeats");
}

/// The simulation can see loss: a log that commits one message too far is caught.
#[test]
fn a_watermark_that_runs_ahead_is_caught() {
    let caught = (0..40)
        .filter(|&seed| !World::new(seed).commit_too_far().run().lost.is_empty())
        .count();
    assert!(
        caught > 0,
        "40 seeds with a broken watermark and no loss seen"
    );
}

/// Without faults nothing is sent twice, and a drain ends with everything committed.
#[test]
fn nothing_is_repeated_without_a_cause() {
    for seed in 0..40 {
        let report = World::new(seed).without_faults().run();
        assert_eq!((report.lost.len(), report.repeats), (0, 0), "seed {seed}");
    }
}
