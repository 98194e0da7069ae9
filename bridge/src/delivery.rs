//! One message taken from a source, and the right to settle it exactly once.
//!
//! Dropping a [`Delivery`] settles nothing: its slot stays, and the watermark stays below it.

pub mod share;
pub mod slots;
pub mod window;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use cloudevents_nl_codec::{Binding, HeaderList};

use share::Reservation;
pub use window::{Refusal, Window};

/// The only four ends that move a watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The destination acknowledged durably.
    Delivered,
    /// The route's filter said no.
    Filtered,
    /// The dead-letter destination acknowledged durably.
    DeadLettered,
    /// An explicit `on_error = "discard"`.
    Discarded,
}

/// Where a message was taken from, as its transport says it; the text form goes into dead letters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The protocol and all but the number, such as `kafka:topic/partition/`.
    pub place: Arc<str>,
    /// An offset, a sequence or a line, where messages are counted.
    pub number: Option<u64>,
}

impl Position {
    /// The message of this number in a place.
    pub fn numbered(place: impl Into<Arc<str>>, number: u64) -> Self {
        Self {
            place: place.into(),
            number: Some(number),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        self.number.map_or(Ok(()), |number| write!(f, "{number}"))
    }
}

/// A message exactly as a source received it.
#[derive(Clone, Debug)]
pub struct Received {
    pub binding: &'static Binding,
    /// Headers in order, repeats and nulls included. Kafka headers whose name is not UTF-8 are left out.
    pub headers: HeaderList,
    pub key: Option<Bytes>,
    /// The body; `None` is a Kafka null value.
    pub body: Option<Bytes>,
    /// The Kafka record timestamp, in milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
    pub position: Position,
    /// Why the transport itself could not read all of it; such a message is never decoded.
    pub defect: Option<&'static str>,
}

impl Received {
    /// Bytes of the message, framing left out.
    pub fn byte_len(&self) -> usize {
        let part = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        self.headers.byte_len() + part(&self.key) + part(&self.body)
    }

    /// Memory that the message takes, in bytes: what the window counts.
    pub fn memory(&self) -> usize {
        let body = self.body.as_ref().map_or(0, Bytes::len);
        self.byte_len() - body + allocated(body)
    }
}

/// Memory behind a text of `len` bytes: allocators keep four sizes to each doubling, so that 64 KiB
/// and a little more take 80 KiB.
pub fn allocated(len: usize) -> usize {
    let step = (len.next_power_of_two() / 8).max(1);
    len.next_multiple_of(step)
}

/// A message and its slot in the window it was taken through.
#[derive(Debug)]
pub struct Delivery {
    pub received: Received,
    window: Rc<Window>,
    sequence: u64,
    /// Of what the route may hold, until nobody refers to the message any more.
    held: Reservation,
}

impl Delivery {
    /// Whether the route may still start work on it, and if so marks it as started.
    ///
    /// It may not when its window was abandoned (a revoked partition, a request that was answered)
    /// or cut off behind the last started slot (a drain).
    #[must_use]
    pub fn start(&self) -> bool {
        !self.window.abandoned.get() && self.window.slots.borrow_mut().start(self.sequence)
    }

    /// Counts memory that was made for the message against its window, in bytes, until it is settled.
    pub fn grow(&self, bytes: usize) {
        self.window.slots.borrow_mut().grow(self.sequence, bytes);
        self.held.set(self.held.get() + bytes);
    }

    /// Whether nobody counts on it any more: its window was abandoned, or cut off before it.
    pub fn is_gone(&self) -> bool {
        self.window.abandoned.get() || !self.window.slots.borrow().is_open(self.sequence)
    }

    /// Settles the delivery; there is no way to do it twice.
    pub fn settle(self, verdict: Verdict) {
        self.window.settle(self.sequence, verdict);
    }

    /// Tells the source that its message cannot be taken; nothing is settled, and every other delivery of
    /// the same window is cut off.
    pub fn refuse(self, refusal: Refusal) {
        self.window.refuse(refusal);
    }

    /// Leaves the delivery to its source, which a drain ends before it could be settled.
    pub fn give_up(self) {
        self.window.give_up(self.sequence);
    }

    /// Its number among the deliveries of its window, from 0.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The window it was taken through.
    pub fn window(&self) -> &Rc<Window> {
        &self.window
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if !self.is_gone() {
            self.window.dropped.set(self.window.dropped.get() + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_rounded_up_to_a_quarter_of_a_doubling() {
        for (len, memory) in [
            (0, 0),
            (7, 7),
            (9, 10),
            (1000, 1024),
            (1 << 16, 1 << 16),
            ((1 << 16) + 1, 80 << 10),
            (80 << 10, 80 << 10),
        ] {
            assert_eq!(allocated(len), memory, "{len}");
        }
    }
}
