//! Writes events: same event, same mode, same bytes.

use std::borrow::Cow;

use crate::wire::{binary_writer, json_batch, json_writer};
use crate::{Binding, ContentMode, EncodeError, Event, HTTP};

/// The content type of one event in structured mode (JSON format 1.0.2, section 3). [`ContentMode`]
/// shows it in use.
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
/// that. On HTTP and NATS, names and values are visible ASCII (sections 3.1.3.1 and 3.1.3.2 of both bindings) and,
/// in the value of the content type, spaces; on Kafka a value is any text of an attribute (section 3.2.3).
///
/// ```
/// use cloudevents_nl_codec::{ContentMode, Event, HTTP, encode};
///
/// let event = Event::new("1", "/a", "b")?.with_subject("Euro €")?.with_text("text/plain", "hoi")?;
/// let mut headers = Vec::new();
/// let body = encode(&event, &HTTP, ContentMode::Binary, |name, value| {
///     headers.push(format!("{name}: {value}"));
/// })?;
/// assert_eq!(body.as_deref(), Some(&b"hoi"[..]));
/// assert_eq!(headers[4..], ["content-type: text/plain", "ce-subject: Euro%20%E2%82%AC"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the mode cannot carry the event; nothing has reached `sink` then. In binary mode: its content type
/// would announce a structured message ([`EncodeError::AnnouncesStructured`]), an attribute should be a URI
/// and is none ([`EncodeError::Irregular`]), or its text cannot be written in its charset
/// ([`EncodeError::UnsupportedCharset`], [`EncodeError::NotInCharset`]). In batched mode:
/// [`EncodeError::NoBatches`]. Structured mode carries every event.
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

/// Appends the event in the JSON format to `out`, `data` last (JSON format 1.0.2, section 3): the body of
/// [`encode`] in structured mode, into a buffer of your own, without the header. [`join_batch`] shows it.
pub fn encode_structured(event: &Event<'_>, out: &mut Vec<u8>) {
    json_writer::write_event(event, out);
}

/// Writes a batch: hands its content type to `sink` and returns the body (JSON format 1.0.2, section 4).
/// Batches travel over HTTP only, to receivers that asked for them (HTTP binding 1.0.2, sections 3 and 3.3).
///
/// ```
/// use cloudevents_nl_codec::{BATCHED_JSON, Decoder, Event, encode_batch};
///
/// let events = [Event::new("1", "/a", "b")?, Event::new("2", "/a", "b")?];
/// let body = encode_batch(&events, |name, value| {
///     assert_eq!((name, value), ("content-type", BATCHED_JSON));
/// });
/// assert_eq!(Decoder::default().decode_batch(&body)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode_batch<'e, 'a: 'e>(
    events: impl IntoIterator<Item = &'e Event<'a>>,
    mut sink: impl FnMut(&str, &str),
) -> Vec<u8> {
    sink(HTTP.content_type, BATCHED_JSON);
    let mut out = Vec::new();
    json_batch::write_batch(events, &mut out, json_writer::write_event);
    out
}

/// Appends a batch of events that are JSON texts already to `out`; its content type is [`BATCHED_JSON`]
/// (JSON format 1.0.2, section 4.1).
///
/// **The texts are copied and not looked at**: what is no event makes a batch that no reader takes. Give it
/// what [`encode_structured`] wrote or [`BatchElement::text`](crate::BatchElement::text) holds.
///
/// ```
/// use cloudevents_nl_codec::{Decoder, Event, encode_structured, join_batch};
///
/// let mut text = Vec::new();
/// encode_structured(&Event::new("1", "/a", "b")?, &mut text);
/// let mut batch = Vec::new();
/// join_batch([&*text, &*text], &mut batch);
/// assert_eq!(Decoder::default().decode_batch(&batch)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn join_batch<'e>(texts: impl IntoIterator<Item = &'e [u8]>, out: &mut Vec<u8>) {
    json_batch::write_batch(texts, out, |text, out| out.extend_from_slice(text));
}
