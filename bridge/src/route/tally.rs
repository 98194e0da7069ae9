//! Pure: what a route has done so far, as plain counts. Metrics are made from them.

use super::lanes::Stage;
use crate::delivery::{Delivery, Verdict};
use crate::outcome::Outcome;

/// Counts since the start of the route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Messages taken in.
    pub taken: u64,
    /// Events settled, by [`Verdict`].
    settled: [u64; 4],
    /// Attempts at the destination, by class of answer.
    pub attempts: Attempts,
    /// Attempts at the dead letters that failed.
    pub dead_letters_failed: u64,
}

/// Attempts by class of answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Delivered.
    pub delivered: u64,
    /// An HTTP status other than 2xx.
    pub status: u64,
    /// No answer.
    pub unreachable: u64,
    /// Trust refused by either side.
    pub untrusted: u64,
    /// Refused for good.
    pub refused: u64,
}

impl Tally {
    /// Settles a delivery and counts its verdict: the only place that does either.
    pub fn settle(&mut self, delivery: Delivery, verdict: Verdict) {
        self.settled[verdict as usize] += 1;
        delivery.settle(verdict);
    }

    /// Events settled with `verdict`.
    #[must_use]
    pub fn settled(&self, verdict: Verdict) -> u64 {
        self.settled[verdict as usize]
    }

    /// Counts one exchange.
    pub fn attempt(&mut self, stage: Stage, outcome: &Outcome) {
        if stage == Stage::DeadLetter {
            self.dead_letters_failed += u64::from(*outcome != Outcome::Delivered);
            return;
        }
        let attempts = &mut self.attempts;
        *match outcome {
            Outcome::Delivered => &mut attempts.delivered,
            Outcome::Status { .. } => &mut attempts.status,
            Outcome::Unreachable(_) => &mut attempts.unreachable,
            Outcome::Untrusted(_) => &mut attempts.untrusted,
            Outcome::Refused(_) => &mut attempts.refused,
        } += 1;
    }
}
