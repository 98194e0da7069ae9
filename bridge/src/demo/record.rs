//! What the far ends of the demo saw, written down as it happens.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::check::Arrival;

/// The record that the receiver and the reader of dead letters write, and the display reads.
#[derive(Debug, Default)]
pub(super) struct Record(Mutex<Seen>);

/// Everything seen so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Events that the receiver accepted, in order.
    pub(super) arrivals: Vec<Arrival>,
    /// Dead letters, in the order they were read.
    pub(super) dead_letters: Vec<DeadLetter>,
    /// Answers 503 with `Retry-After`.
    pub(super) unavailable: u64,
    /// Answers 429 with `Retry-After`.
    pub(super) too_many: u64,
    /// Answers 400.
    pub(super) refused: u64,
    ids: HashSet<String>,
}

/// A dead letter, as its headers explain it.
#[derive(Clone, Debug, Default)]
pub(super) struct DeadLetter {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) attempts: String,
    pub(super) source: String,
}

impl Record {
    /// The record; a thread that panicked while it held it has written whole entries only.
    pub(super) fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    pub(super) fn arrive(&mut self, arrival: Arrival) {
        self.ids.insert(arrival.id.clone());
        self.arrivals.push(arrival);
    }

    pub(super) fn add_dead_letter(&mut self, dead_letter: DeadLetter) {
        self.ids.insert(dead_letter.id.clone());
        self.dead_letters.push(dead_letter);
    }

    /// Distinct ids that arrived somewhere.
    pub(super) fn settled(&self) -> usize {
        self.ids.len()
    }
}
