//! Who arrived, how often, and whether a key was overtaken.

use crate::traffic::{KEYS, Keys};

/// The events seen so far in one run.
#[derive(Debug)]
pub(crate) struct RollCall {
    keys: Keys,
    seen: Vec<bool>,
    last_of_key: Vec<usize>,
    /// Different events.
    pub(crate) present: usize,
    repeats: usize,
    overtaken: usize,
}

impl RollCall {
    pub(crate) fn new(events: usize, keys: Keys) -> Self {
        Self {
            keys,
            seen: vec![false; events],
            last_of_key: vec![0; KEYS],
            present: 0,
            repeats: 0,
            overtaken: 0,
        }
    }

    /// What it holds, and an empty one in its place.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(self.seen.len(), self.keys);
        std::mem::replace(self, empty)
    }

    /// Notes an arrival; a repeat says nothing about order.
    pub(crate) fn note(&mut self, number: usize) {
        if std::mem::replace(&mut self.seen[number], true) {
            self.repeats += 1;
            return;
        }
        self.present += 1;
        let last = &mut self.last_of_key[self.keys.of(number)];
        self.overtaken += usize::from(number < *last);
        *last = number.max(*last);
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.present == self.seen.len()
    }

    /// # Panics
    /// When an event is missing, came twice, or came before an earlier one of its key.
    pub(crate) fn assert_complete(&self, who: &str) {
        let missing = self.seen.len() - self.present;
        assert!(
            missing == 0 && self.repeats == 0 && self.overtaken == 0,
            "{who}: {missing} missing, {} repeated, {} overtaken of {}",
            self.repeats,
            self.overtaken,
            self.seen.len()
        );
    }
}
