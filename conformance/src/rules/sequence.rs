//! What came before an event in its source, for the rules about `sequence`.
//!
//! A recording of several partitions mixes them, so each partition, or stream, has an order of its own.

use crate::memory::{Memory, fingerprint};
use crate::reading::Event;

/// The last value of each source in each lane, and the events seen, so that one that is delivered again is passed
/// over.
#[derive(Debug)]
pub(super) struct Sequences<T> {
    last: Memory<T>,
    seen: Memory<()>,
}

impl<T> Default for Sequences<T> {
    fn default() -> Self {
        Self {
            last: Memory::default(),
            seen: Memory::default(),
        }
    }
}

/// Where an event stands in the sequence of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<T> {
    /// It is the first one of that source.
    First,
    /// It follows one with this value, or nobody remembers whether it follows one.
    After(Option<T>),
}

impl<T: Clone> Sequences<T> {
    /// Where an event stands, which has a value to be remembered; `None` when it was seen before, or
    /// has no source.
    pub(super) fn place(&mut self, event: &Event<'_>, value: T) -> Option<Place<T>> {
        let source = event.text("source")?;
        let lane = event.lane;
        let seen = fingerprint(&(lane, source, event.text("id"), event.text("sequence")));
        if self.seen.get(seen).is_some() {
            return None;
        }
        self.seen.put(seen, ());
        let source = fingerprint(&(lane, source));
        let last = self.last.get(source).cloned();
        let is_first = last.is_none() && !self.last.has_forgotten();
        self.last.put(source, value);
        Some(if is_first {
            Place::First
        } else {
            Place::After(last)
        })
    }
}
