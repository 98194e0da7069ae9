//! Pure: what a route has done so far, as plain counts. Metrics are made from them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::dead_letter::Kind;
use super::item::Stage;
use crate::delivery::{Delivery, Verdict};
use crate::outcome::{Next, Outcome};

/// Upper bounds of the classes in which the times of exchanges are counted; one more has no bound.
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

/// Counts since the start of the route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub taken: u64,
    /// Events settled, by [`Verdict`].
    settled: [u64; 4],
    /// Attempts at the destination, by class of answer: delivered, delivered before, a status other than
    /// 2xx, no answer, trust refused by either side, refused for good.
    pub attempts: [u64; 6],
    /// Attempts at the destination, by the first of [`LATENCY_BOUNDS`] they kept within.
    pub latency_buckets: [u64; LATENCY_BOUNDS.len() + 1],
    /// Time of all attempts at the destination together.
    pub latency_sum: Duration,
    /// Attempts at the dead letters that failed.
    pub dead_letters_failed: u64,
    /// Events given up, by [`Kind`].
    dead_letters: [u64; Kind::ALL.len()],
    /// Events that went on with an attribute that has not the form of its type, by attribute.
    pub irregular: BTreeMap<Box<str>, u64>,
}

impl Tally {
    /// Settles a delivery and counts its verdict: the only place that does either.
    pub fn settle(&mut self, delivery: Delivery, verdict: Verdict) {
        self.settled[verdict as usize] += 1;
        delivery.settle(verdict);
    }

    /// Events settled with `verdict`.
    pub fn settled(&self, verdict: Verdict) -> u64 {
        self.settled[verdict as usize]
    }

    /// Counts an event that became a dead letter.
    pub fn count_dead_letter(&mut self, kind: Kind) {
        self.dead_letters[kind as usize] += 1;
    }

    /// Events that became dead letters of this kind, written or not yet.
    pub fn dead_letters(&self, kind: Kind) -> u64 {
        self.dead_letters[kind as usize]
    }

    /// Counts an event that goes on with these attributes, which have not the form of their type. The
    /// register bounds how many names there are.
    pub fn count_irregular(&mut self, attributes: Vec<Box<str>>) {
        for attribute in attributes {
            *self.irregular.entry(attribute).or_default() += 1;
        }
    }

    /// Counts one exchange and the time it took.
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
