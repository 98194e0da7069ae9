//! Pure: what a route has done so far, as plain counts. Metrics are made from them.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::dead_letter::Kind;
use super::item::Stage;
use crate::delivery::{Delivery, Verdict};
use crate::outcome::{Next, Outcome};

/// Upper bounds of buckets, none far from the next, so that a quantile is near; one more has no bound.
pub const BOUNDS_MS: [u64; 31] = [
    1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000,
    5_000, 7_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 1_800_000, 21_600_000,
    86_400_000,
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// By the first of [`BOUNDS_MS`] they kept within.
    pub buckets: [u64; BOUNDS_MS.len() + 1],
    pub sum: Duration,
}

impl Times {
    fn add(&mut self, time: Duration) {
        let bound = |bound: &u64| Duration::from_millis(*bound) < time;
        self.buckets[BOUNDS_MS.partition_point(bound)] += 1;
        self.sum = self.sum.saturating_add(time);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub taken: u64,
    pub taken_bytes: u64,
    pub delivered_bytes: u64,
    /// From the time of a message to its delivery.
    pub latency: Times,
    pub last_delivery: Option<Timestamp>,
    /// By [`Verdict`].
    settled: [u64; 4],
    /// At the destination: delivered, duplicate, 3xx, 4xx, 5xx, other statuses, no answer, untrusted, refused.
    pub attempts: [u64; 9],
    pub attempt_times: Times,
    /// Attempts that failed.
    pub dead_letters_failed: u64,
    dead_letters: [u64; Kind::ALL.len()],
    /// By attribute without the form of its type; the register bounds how many names there are.
    pub irregular: BTreeMap<Box<str>, u64>,
    /// Events by the id of a rule that they violate, which are those of the profile.
    pub violations: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// The only place that settles a delivery or counts its verdict.
    pub fn settle(&mut self, delivery: Delivery, verdict: Verdict) {
        self.settled[verdict as usize] += 1;
        delivery.settle(verdict);
    }

    /// Before it is settled as delivered.
    pub fn deliver(&mut self, delivery: &Delivery, bytes: usize, now: Timestamp) {
        let latency = now.as_millisecond().saturating_sub(delivery.written_ms());
        let latency = u64::try_from(latency).unwrap_or_default();
        self.latency.add(Duration::from_millis(latency));
        self.delivered_bytes += bytes as u64;
        self.last_delivery = Some(now);
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

    pub fn attempt(&mut self, stage: Stage, outcome: &Outcome, took: Duration) {
        if stage == Stage::DeadLetter {
            self.dead_letters_failed += u64::from(outcome.next() != Next::Delivered);
            return;
        }
        self.attempt_times.add(took);
        self.attempts[match *outcome {
            Outcome::Delivered => 0,
            Outcome::Duplicate => 1,
            Outcome::Status { code, .. } => match code / 100 {
                class @ 3..=5 => usize::from(class) - 1,
                _ => 5,
            },
            Outcome::Unreachable(_)
            | Outcome::NoToken(_)
            | Outcome::NoConsent(_)
            | Outcome::Unanswered(_) => 6,
            Outcome::Untrusted(_) => 7,
            Outcome::Refused(_) => 8,
        }] += 1;
    }
}
