//! Writes events: same event, same mode, same bytes.

use std::borrow::Cow;

use crate::wire::{binary_writer, json_batch, json_writer};
use crate::{Binding, ContentMode, EncodeError, Event, HeaderSink};

/// The content type of one event in structured mode.
pub const STRUCTURED_JSON: &str = "application/cloudevents+json";

/// The content type of a batch.
pub const BATCHED_JSON: &str = "application/cloudevents-batch+json";

/// Appends the event in the JSON format to `out`, `data` last. Headers are the caller's: one, the
/// content type [`STRUCTURED_JSON`].
///
/// # Errors
/// None today: the JSON format can carry every event.
pub fn encode_structured(event: &Event<'_>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    json_writer::write_event(event, out);
    Ok(())
}

/// Hands the headers of the event in binary mode to `sink` and returns the body; `None` is no data.
///
/// # Errors
/// When binary mode cannot carry the event: its content type would announce a structured message, or
/// its text cannot be written in its charset. Nothing has reached `sink` then.
pub fn encode_binary<'e>(
    event: &'e Event<'_>,
    binding: &Binding,
    sink: &mut impl HeaderSink,
) -> Result<Option<Cow<'e, [u8]>>, EncodeError> {
    binary_writer::write_event(event, binding, sink)
}

/// Appends a batch of events that are already JSON texts to `out`.
pub fn encode_batch<'e>(texts: impl IntoIterator<Item = &'e [u8]>, out: &mut Vec<u8>) {
    json_batch::write_batch(texts, out);
}

/// Bytes of an encoded event: header names, header values and body, framing left out. It is the
/// measure that [`crate::Limits`] uses, and exact. Batched mode counts a batch of this one event.
///
/// # Errors
/// When binary mode cannot carry the event, as in [`encode_binary`].
pub fn wire_size(
    event: &Event<'_>,
    binding: &Binding,
    mode: ContentMode,
) -> Result<usize, EncodeError> {
    let announcement = |value: &str| binding.content_type.len() + value.len();
    match mode {
        ContentMode::Structured => {
            Ok(announcement(STRUCTURED_JSON) + json_writer::event_len(event))
        }
        ContentMode::Batched => {
            Ok(announcement(BATCHED_JSON) + "[]".len() + json_writer::event_len(event))
        }
        ContentMode::Binary => binary_writer::event_len(event, binding),
    }
}
