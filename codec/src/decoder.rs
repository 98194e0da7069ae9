//! Reads messages: picks the mode, applies limits, hands out events.

use crate::{Binding, ContentMode, DecodeError, Event, Limits, Message, Register};

/// One element of a batch: its event, and its JSON text to be forwarded untouched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchElement<'a> {
    /// The text of the element in the batch, from `{` to `}`.
    pub text: &'a [u8],
    /// The event read from it.
    pub event: Event<'a>,
}

/// What a message held.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    clippy::large_enum_variant,
    reason = "one variant per content mode; boxing would allocate per event"
)]
pub enum Decoded<'a> {
    /// One event in structured mode; the body is its text.
    Structured(Event<'a>),
    /// One event in binary mode.
    Binary(Event<'a>),
    /// A batch, possibly empty.
    Batch(Vec<BatchElement<'a>>),
}

/// Reads events under [`Limits`], with a [`Register`] of extension types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoder {
    limits: Limits,
    register: Register,
}

impl Decoder {
    /// A decoder with its own limits and register.
    #[must_use]
    pub fn new(limits: Limits, register: Register) -> Self {
        Self { limits, register }
    }

    /// The mode that a message announces, without reading it further.
    #[must_use]
    pub fn mode(_binding: &Binding, _message: &Message<'_>) -> ContentMode {
        unimplemented!()
    }

    /// Reads a message of any mode.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn decode<'a>(
        &self,
        _binding: &Binding,
        _message: &Message<'a>,
    ) -> Result<Decoded<'a>, DecodeError> {
        let _ = (&self.limits, &self.register);
        unimplemented!()
    }

    /// Reads one JSON event.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn decode_structured<'a>(&self, _text: &'a [u8]) -> Result<Event<'a>, DecodeError> {
        unimplemented!()
    }

    /// Reads a JSON batch.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn decode_batch<'a>(&self, _text: &'a [u8]) -> Result<Vec<BatchElement<'a>>, DecodeError> {
        unimplemented!()
    }
}
