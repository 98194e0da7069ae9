//! Writes events: same event, same mode, same bytes.

use std::borrow::Cow;

use crate::wire::json_writer::encode_structured;
use crate::wire::{binary_writer, json_batch};
use crate::{Binding, ContentMode, EncodeError, Event, HTTP};

/// The content type of one event in structured mode (JSON format 1.0.2, section 3). [`ContentMode`] shows it in use.
pub const STRUCTURED_JSON: &str = "application/cloudevents+json";

/// The content type of a batch (JSON format 1.0.2, section 4.2). [`ContentMode`] shows it in use.
pub const BATCHED_JSON: &str = "application/cloudevents-batch+json";

/// Writes an event as a message: hands all headers to `sink`, the content type among them, and returns
/// the body (section 3 of the HTTP, Kafka and NATS bindings).
///
/// In binary mode the body is the data itself, borrowed unless its charset is not UTF-8; `None` is no data, a
/// null value on Kafka. JSON without a `datacontenttype` is written as `application/json`, because a header
/// cannot imply it (JSON format 1.0.2, section 3.1.2). Batched mode is a batch of this one event. A message that
/// was received in structured mode is better forwarded as it came: then even what has no meaning is kept.
///
/// `sink` takes the headers in a fixed order: those of the core attributes as the specification lists them,
/// then the extensions. It cannot refuse one, because half of an event is none; one that may fill up notes
/// that. Where headers are built by value, as those of rdkafka, a [`HeaderList`](crate::HeaderList) takes them first.
/// On HTTP and NATS, names and values are visible ASCII (sections 3.1.3.1 and 3.1.3.2 of both bindings) and, in the
/// value of the content type, spaces; on Kafka a value is any text of an attribute (section 3.2.3).
///
/// ```
/// use cloudevents_nl_codec::{ContentMode, EncodeError, Event, HTTP, KAFKA, NATS, encode};
///
/// let event = Event::new("1", "/a", "b")?.with_subject("50% é")?.with_text("text/plain; a=b", "hoi")?;
/// for (binding, content_type, subject) in [
///     (HTTP, "content-type: text/plain; a=b", "ce-subject: 50%25%20%C3%A9"),
///     (KAFKA, "content-type: text/plain; a=b", "ce_subject: 50% é"),
///     (NATS, "ce-datacontenttype: text/plain;%20a=b", "ce-subject: 50%25%20%C3%A9"),
/// ] {
///     let mut headers = Vec::new();
///     let body = encode(&event, &binding, ContentMode::Binary, |name, value| {
///         headers.push(format!("{name}: {value}"));
///     })?;
///     assert_eq!(body.as_deref(), Some(&b"hoi"[..]));
///     assert_eq!(headers[4..], [content_type, subject]);
/// }
/// assert_eq!((NATS.static_name("ce-id"), NATS.static_name("ce-sequence")), (Some("ce-id"), None));
/// let event = event.with_text("text/plain; charset=us-ascii", "é")?;
/// let refused = encode(&event, &HTTP, ContentMode::Binary, |_, _| {});
/// assert_eq!(refused, Err(EncodeError::NotInCharset));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the mode cannot carry the event, as [`EncodeError`] lists it; nothing has reached `sink` then.
/// Structured mode carries every event.
// Where this is inlined, the compiler knows the mode.
#[inline]
pub fn encode<'e>(
    event: &'e Event<'_>,
    binding: &Binding,
    mode: ContentMode,
    mut sink: impl FnMut(&str, &str),
) -> Result<Option<Cow<'e, [u8]>>, EncodeError> {
    let mut text = Vec::new();
    match mode {
        ContentMode::Binary => return binary_writer::write_event(event, binding, &mut sink),
        ContentMode::Structured => {
            sink(binding.content_type, STRUCTURED_JSON);
            encode_structured(event, &mut text);
        }
        ContentMode::Batched if !binding.has_batch => return Err(EncodeError::NoBatches),
        ContentMode::Batched => text = encode_batch([event], sink),
    }
    Ok(Some(Cow::Owned(text)))
}

/// Writes a batch: hands its content type to `sink` and returns the body (JSON format 1.0.2, section 4);
/// [`BatchElement`](crate::BatchElement) shows it. Batches travel over HTTP only, to receivers that asked for
/// them (HTTP binding 1.0.2, sections 3 and 3.3).
pub fn encode_batch<'e, 'a: 'e>(
    events: impl IntoIterator<Item = &'e Event<'a>>,
    mut sink: impl FnMut(&str, &str),
) -> Vec<u8> {
    sink(HTTP.content_type, BATCHED_JSON);
    let mut out = Vec::new();
    json_batch::write_batch(events, &mut out, encode_structured);
    out
}

/// Appends a batch of events that are JSON texts already to `out`; its content type is [`BATCHED_JSON`]
/// (JSON format 1.0.2, section 4.1).
///
/// **The texts are copied and not looked at**: what is no event makes a batch that no reader takes. Give it
/// what [`encode_structured`] wrote or [`BatchElement`](crate::BatchElement), which shows it, holds.
pub fn join_batch<'e>(texts: impl IntoIterator<Item = &'e [u8]>, out: &mut Vec<u8>) {
    json_batch::write_batch(texts, out, |text, out| out.extend_from_slice(text));
}
