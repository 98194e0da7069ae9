//! One message taken from a source, and the right to settle it exactly once. A [`Delivery`] that is dropped
//! settles nothing: the watermark stays below it.

pub mod share;
pub mod slots;
pub mod violations;
pub mod window;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use cloudevents_nl_codec::{Binding, DecodeError, Decoded, Decoder, HeaderList};

use share::Reservation;
pub use violations::{Violation, Violations};
pub use window::{Refusal, Window};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    Delivered,
    Filtered,
    /// The dead letter was acknowledged durably.
    DeadLettered,
    /// `on_error = "discard"`.
    Discarded,
}

impl Verdict {
    pub const ALL: [Self; 4] = [
        Self::Delivered,
        Self::Filtered,
        Self::DeadLettered,
        Self::Discarded,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Filtered => "filtered",
            Self::DeadLettered => "dead_lettered",
            Self::Discarded => "discarded",
        }
    }
}

/// As its transport writes it; the text goes into dead letters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// All but the number, such as `kafka:topic/partition/`.
    pub place: Arc<str>,
    pub number: Option<u64>,
}

impl Position {
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

#[derive(Clone, Debug)]
pub struct Received {
    pub binding: &'static Binding,
    /// In order, with repeats and nulls, without Kafka headers whose name is not UTF-8.
    pub headers: HeaderList,
    pub key: Option<Bytes>,
    /// `None` is a Kafka null value.
    pub body: Option<Bytes>,
    /// Of the Kafka record, in milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
    pub position: Position,
    /// Why the transport could not read all of it; such a message is never decoded.
    pub defect: Option<&'static str>,
}

impl Received {
    pub fn decode(&self, decoder: &Decoder) -> Result<Decoded<'_>, DecodeError> {
        decoder.decode_any(self.binding, self.headers.iter(), self.body.as_deref())
    }

    /// For people: `id`, `source` and `type`, as far as they can be read, of what is refused too. A batch has none.
    pub fn identity(&self, decoder: &Decoder) -> [Option<String>; 3] {
        match self.decode(decoder) {
            Ok(Decoded::Structured(event) | Decoded::Binary(event)) => {
                [event.id(), event.source(), event.ty()].map(|name| Some(name.to_owned()))
            }
            Ok(Decoded::Batch(_)) => [None, None, None],
            Err(error) => {
                let names = error.partial().map(|it| [it.id(), it.source(), it.ty()]);
                let names = names.unwrap_or_default();
                names.map(|name| name.map(ToOwned::to_owned))
            }
        }
    }

    /// Without framing.
    pub fn byte_len(&self) -> usize {
        let part = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        self.headers.byte_len() + part(&self.key) + part(&self.body)
    }

    /// What the window counts.
    pub fn memory(&self) -> usize {
        let body = self.body.as_ref().map_or(0, Bytes::len);
        self.byte_len() - body + allocated(body)
    }
}

/// Allocators keep four sizes to each doubling, so that 64 KiB and a little more take 80 KiB.
pub fn allocated(len: usize) -> usize {
    let step = (len.next_power_of_two() / 8).max(1);
    len.next_multiple_of(step)
}

#[derive(Debug)]
pub struct Delivery {
    pub received: Received,
    window: Rc<Window>,
    sequence: u64,
    written_ms: i64,
    /// Until nobody refers to the message.
    held: Reservation,
}

impl Delivery {
    /// Marks it as started, unless its window was abandoned or cut off before it.
    #[must_use]
    pub fn start(&self) -> bool {
        !self.window.abandoned.get() && self.window.slots.borrow_mut().start(self.sequence)
    }

    /// Counts memory that was made for the message, until it is settled.
    pub fn grow(&self, bytes: usize) {
        self.window.slots.borrow_mut().grow(self.sequence, bytes);
        self.held.set(self.held.get() + bytes);
    }

    /// Its window was abandoned, or cut off before it.
    pub fn is_gone(&self) -> bool {
        self.window.abandoned.get() || !self.window.slots.borrow().is_open(self.sequence)
    }

    pub fn settle(self, verdict: Verdict) {
        let window = &self.window;
        if window.slots.borrow_mut().settle(self.sequence) {
            if let Some(verdicts) = &window.verdicts {
                verdicts.borrow_mut().push((self.sequence, verdict));
            }
            window.changed.notify_waiters();
        }
    }

    /// Its source hears why, and every other delivery of the window is cut off.
    pub fn refuse(self, refusal: Refusal) {
        self.window.refusal.borrow_mut().get_or_insert(refusal);
        self.window.abandon();
    }

    /// The drain ends before it could be settled.
    pub fn give_up(self) {
        self.window.slots.borrow_mut().give_up(self.sequence);
        self.window.changed.notify_waiters();
    }

    /// Within its window, from 0.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// By its own timestamp, else when it was taken; in milliseconds since 1970.
    pub fn written_ms(&self) -> i64 {
        self.written_ms
    }

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
