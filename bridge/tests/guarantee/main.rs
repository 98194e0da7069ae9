//! The promise, simulated: a route over a log in memory on a paused clock, with seeded
//! faults and crashes, many seeds. The seed is in every failure text.

#![allow(clippy::unwrap_used, reason = "tests")]

mod log;
mod receiver;
mod recovery;
mod rest;
mod stream;
mod world;

use world::World;

/// Whatever the receiver does and however often the bridge dies, every event arrives or is
/// dead-lettered, in the order of its key, and no endpoint is hurried.
#[test]
fn nothing_is_lost_or_overtaken_over_many_seeds() {
    over_many_seeds(World::new);
}

/// The same with a source that gives messages again when it heard nothing of them.
#[test]
fn a_source_that_redelivers_loses_and_overtakes_nothing() {
    over_many_seeds(|seed| World::new(seed).redelivered());
}

/// Runs the worlds of `CENL_SEEDS` seeds on every core.
fn over_many_seeds(world: fn(u64) -> World) {
    let seeds = std::env::var("CENL_SEEDS").map_or(2_000, |seeds| seeds.parse().unwrap());
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let repeats: usize = std::thread::scope(|scope| {
        let run = |first| {
            move || {
                (first..seeds)
                    .step_by(threads as usize)
                    .map(|seed| judge(seed, world))
                    .sum::<usize>()
            }
        };
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(run(first))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    println!("{seeds} seeds: 0 lost, 0 overtaken, {repeats} repeats");
}

/// Plays one world and returns the number of repeats.
fn judge(seed: u64, world: fn(u64) -> World) -> usize {
    let report = world(seed).run();
    assert!(
        report.lost.is_empty(),
        "seed {seed}: lost {:?}",
        report.lost
    );
    let overtaken = &report.overtaken;
    assert!(overtaken.is_empty(), "seed {seed}: overtaken {overtaken:?}");
    let undeserved = &report.undeserved;
    assert!(
        undeserved.is_empty(),
        "seed {seed}: needless dead letters {undeserved:?}"
    );
    assert_eq!(
        report.hurried, 0,
        "seed {seed}: sent before a Retry-After was over"
    );
    report.repeats
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
        for world in [
            World::new(seed).without_faults(),
            World::new(seed).without_faults().redelivered(),
        ] {
            let report = world.run();
            assert_eq!((report.lost.len(), report.repeats), (0, 0), "seed {seed}");
        }
    }
}
