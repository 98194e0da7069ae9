//! Who arrived, how often, and whether a key was overtaken.

use std::iter;
use std::ops::Range;
use std::time::Duration;

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
    /// The number of each event that came once more.
    repeated: Vec<usize>,
    overtaken: usize,
}

impl RollCall {
    pub(crate) fn new(events: usize, keys: Keys) -> Self {
        Self {
            keys,
            arrived: vec![None; events],
            last_of_key: vec![0; KEYS],
            present: 0,
            repeated: Vec::new(),
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
        let first = &mut self.arrived[number];
        if first.is_some() {
            self.repeated.push(number);
            return;
        }
        *first = Some(Instant::now());
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

    /// Those of the first `events`, of which there were no more.
    pub(crate) fn first(mut self, events: usize) -> Self {
        self.arrived.truncate(events);
        self
    }

    /// How many of these came once more, each time counted.
    pub(crate) fn repeats(&self, numbers: &Range<usize>) -> usize {
        let repeated = self.repeated.iter();
        repeated.filter(|number| numbers.contains(*number)).count()
    }

    /// The longest time from a moment on in which none of these arrived for the first time.
    pub(crate) fn longest_gap(
        &self,
        since: Instant,
        numbers: impl Iterator<Item = usize>,
    ) -> Duration {
        let arrived = numbers.filter_map(|number| self.arrived[number]);
        let later = arrived.filter(|moment| *moment > since);
        let mut moments: Vec<_> = iter::once(since).chain(later).collect();
        moments.sort_unstable();
        let gaps = moments.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.max().unwrap_or_default()
    }

    /// # Panics
    /// When an event is missing, came twice, or came before an earlier one of its key.
    pub(crate) fn assert_complete(&self, who: &str) {
        self.assert_promise(who);
        let repeats = self.repeated.len();
        assert_eq!(repeats, 0, "{who}: repeated, of {}", self.arrived.len());
    }

    /// # Panics
    /// When an event is missing, or came before an earlier one of its key.
    pub(crate) fn assert_promise(&self, who: &str) {
        let missing = self.arrived.len() - self.present;
        assert!(
            missing == 0 && self.overtaken == 0,
            "{who}: {missing} missing, {} overtaken of {}",
            self.overtaken,
            self.arrived.len()
        );
    }
}
