//! Who arrived, how often, and whether a key was overtaken.

use tokio::time::Instant;

use crate::traffic::{KEYS, Keys};

/// The events seen so far in one run.
#[derive(Debug)]
pub(crate) struct RollCall {
    keys: Keys,
    arrived: Vec<Option<Instant>>,
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
            arrived: vec![None; events],
            last_of_key: vec![0; KEYS],
            present: 0,
            repeats: 0,
            overtaken: 0,
        }
    }

    /// What it holds, and an empty one in its place.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(self.arrived.len(), self.keys);
        std::mem::replace(self, empty)
    }

    /// Notes an arrival; a repeat says nothing about order.
    pub(crate) fn note(&mut self, number: usize) {
        if self.arrived[number].replace(Instant::now()).is_some() {
            self.repeats += 1;
            return;
        }
        self.present += 1;
        let last = &mut self.last_of_key[self.keys.of(number)];
        self.overtaken += usize::from(number < *last);
        *last = number.max(*last);
    }

    /// How long each event took since it was written, in microseconds; in the order of their numbers.
    pub(crate) fn latencies_us(&self, written: &[Instant]) -> Vec<u32> {
        let arrived = self.arrived.iter().flatten();
        let took = arrived.zip(written).map(|(arrived, written)| {
            u32::try_from(arrived.duration_since(*written).as_micros()).unwrap_or(u32::MAX)
        });
        took.collect()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.present == self.arrived.len()
    }

    /// # Panics
    /// When an event is missing, came twice, or came before an earlier one of its key.
    pub(crate) fn assert_complete(&self, who: &str) {
        let missing = self.arrived.len() - self.present;
        assert!(
            missing == 0 && self.repeats == 0 && self.overtaken == 0,
            "{who}: {missing} missing, {} repeated, {} overtaken of {}",
            self.repeats,
            self.overtaken,
            self.arrived.len()
        );
    }
}
