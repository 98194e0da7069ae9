//! Pure: what a route has done so far, as plain counts. Metrics are made from them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::dead_letter::Kind;
use super::item::Stage;
use crate::delivery::{Delivery, Verdict};
use crate::outcome::{Next, Outcome};

/// Upper bounds of the latency buckets; one more has no bound.
pub const LATENCY_BOUNDS: [Duration; 11] = [
    Duration::from_millis(1),
    Duration::from_micros(2_500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub taken: u64,
    /// By [`Verdict`].
    settled: [u64; 4],
    /// At the destination: delivered, duplicate, status, no answer, untrusted, refused.
    pub attempts: [u64; 6],
    /// By the first of [`LATENCY_BOUNDS`] they kept within.
    pub latency_buckets: [u64; LATENCY_BOUNDS.len() + 1],
    pub latency_sum: Duration,
    /// Attempts that failed.
    pub dead_letters_failed: u64,
    /// By [`Kind`].
    dead_letters: [u64; Kind::ALL.len()],
    /// By attribute without the form of its type.
    pub irregular: BTreeMap<Box<str>, u64>,
}

impl Tally {
    /// The only place that settles a delivery or counts its verdict.
    pub fn settle(&mut self, delivery: Delivery, verdict: Verdict) {
        self.settled[verdict as usize] += 1;
        delivery.settle(verdict);
    }

    pub fn settled(&self, verdict: Verdict) -> u64 {
        self.settled[verdict as usize]
    }

    pub fn count_dead_letter(&mut self, kind: Kind) {
        self.dead_letters[kind as usize] += 1;
    }

    /// Written or not yet.
    pub fn dead_letters(&self, kind: Kind) -> u64 {
        self.dead_letters[kind as usize]
    }

    /// The register bounds how many names there are.
    pub fn count_irregular(&mut self, attributes: Vec<Box<str>>) {
        for attribute in attributes {
            *self.irregular.entry(attribute).or_default() += 1;
        }
    }

    pub fn attempt(&mut self, stage: Stage, outcome: &Outcome, took: Duration) {
        if stage == Stage::DeadLetter {
            self.dead_letters_failed += u64::from(outcome.next() != Next::Delivered);
            return;
        }
        self.latency_buckets[LATENCY_BOUNDS.partition_point(|&bound| bound < took)] += 1;
        self.latency_sum += took;
        self.attempts[match outcome {
            Outcome::Delivered => 0,
            Outcome::Duplicate => 1,
            Outcome::Status { .. } => 2,
            Outcome::Unreachable(_) | Outcome::Unanswered(_) => 3,
            Outcome::Untrusted(_) => 4,
            Outcome::Refused(_) => 5,
        }] += 1;
    }
}
