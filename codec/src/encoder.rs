//! Writes events: same event, same mode, same bytes.

use std::borrow::Cow;

use crate::{Binding, EncodeError, Event, HeaderSink};

/// Appends the event in the JSON format to `out`, `data` last. Headers are the caller's: one, the
/// content type `application/cloudevents+json`.
///
/// # Errors
/// When the event holds data that the JSON format cannot carry.
pub fn encode_structured(_event: &Event<'_>, _out: &mut Vec<u8>) -> Result<(), EncodeError> {
    unimplemented!()
}

/// Hands the headers of the event in binary mode to `sink` and returns the body; `None` is no data.
///
/// # Errors
/// When binary mode cannot carry the event (bindings.md section 7).
pub fn encode_binary<'e>(
    _event: &'e Event<'_>,
    _binding: &Binding,
    _sink: &mut impl HeaderSink,
) -> Result<Option<Cow<'e, [u8]>>, EncodeError> {
    unimplemented!()
}

/// Appends a batch of events that are already JSON texts to `out`.
pub fn encode_batch<'e>(_texts: impl IntoIterator<Item = &'e [u8]>, _out: &mut Vec<u8>) {
    unimplemented!()
}
