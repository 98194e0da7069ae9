//! Writes events: same event, same mode, same bytes.

use std::borrow::Cow;

use crate::wire::{binary_writer, json_batch, json_writer};
use crate::{Binding, ContentMode, EncodeError, Event, HeaderSink};

/// The content type of one event in structured mode (JSON format 1.0.2, section 3). [`ContentMode`]
/// shows it in use.
pub const STRUCTURED_JSON: &str = "application/cloudevents+json";

/// The content type of a batch (JSON format 1.0.2, section 4.2). [`ContentMode`] shows it in use.
pub const BATCHED_JSON: &str = "application/cloudevents-batch+json";

/// Appends the event in the JSON format to `out`, `data` last (JSON format 1.0.2, section 3).
/// Headers are the caller's: one, the content type [`STRUCTURED_JSON`].
///
/// A message that was received in structured mode is better forwarded as it came: then even what
/// has no meaning is kept.
///
/// ```
/// use cloudevents_nl_codec::{Event, JsonText, encode_structured};
///
/// let event = Event::new("1", "/a", "b")?.with_json(JsonText::new("[1.50]")?);
/// let mut text = Vec::new();
/// encode_structured(&event, &mut text)?;
/// assert!(text.ends_with(br#""datacontenttype":"application/json","data":[1.50]}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None today: the JSON format can carry every event.
pub fn encode_structured(event: &Event<'_>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    json_writer::write_event(event, out);
    Ok(())
}

/// Hands the headers of the event in binary mode to `sink` and returns the body, which is the data
/// itself unless its charset is not UTF-8; `None` is no data, a null value on Kafka (HTTP binding
/// 3.1, Kafka binding 3.2, NATS binding 1.0.3-wip, 3.1).
///
/// JSON without a `datacontenttype` is written as `application/json`, because a header cannot imply
/// it (JSON format 1.0.2, section 3.1.2).
///
/// ```
/// use cloudevents_nl_codec::{Event, HTTP, HeaderList, encode_binary};
///
/// let event = Event::new("1", "/a", "b")?.with_subject("Euro €")?.with_text("text/plain", "hoi")?;
/// let mut headers = HeaderList::default();
/// let body = encode_binary(&event, &HTTP, &mut headers)?;
/// assert_eq!(body.as_deref(), Some(&b"hoi"[..]));
/// let subject = headers.iter().find(|header| header.name == "ce-subject");
/// assert_eq!(subject.and_then(|header| header.value), Some(&b"Euro%20%E2%82%AC"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When binary mode cannot carry the event: its content type would announce a structured message
/// ([`EncodeError::AnnouncesStructured`]), an attribute should be a URI and is none
/// ([`EncodeError::Irregular`]), or its text cannot be written in its charset
/// ([`EncodeError::UnsupportedCharset`], [`EncodeError::NotInCharset`]). Nothing has reached `sink`
/// then.
pub fn encode_binary<'e>(
    event: &'e Event<'_>,
    binding: &Binding,
    sink: &mut impl HeaderSink,
) -> Result<Option<Cow<'e, [u8]>>, EncodeError> {
    binary_writer::write_event(event, binding, sink)
}

/// Appends a batch of events that are already JSON texts to `out`; its content type is
/// [`BATCHED_JSON`] (JSON format 1.0.2, section 4.1). Batches travel over HTTP only, to receivers
/// that asked for them (HTTP binding 1.0.2, sections 3 and 3.3).
///
/// **The texts are copied and not looked at**: what is no event makes a batch that no reader takes. Give it
/// what [`encode_structured`] wrote or [`BatchElement::text`](crate::BatchElement::text) holds.
///
/// ```
/// use cloudevents_nl_codec::{Decoder, Event, encode_batch, encode_structured};
///
/// let mut text = Vec::new();
/// encode_structured(&Event::new("1", "/a", "b")?, &mut text)?;
/// let mut batch = Vec::new();
/// encode_batch([&*text, &*text], &mut batch);
/// assert_eq!(Decoder::default().decode_batch(&batch)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode_batch<'e>(texts: impl IntoIterator<Item = &'e [u8]>, out: &mut Vec<u8>) {
    json_batch::write_batch(texts, out);
}

/// Bytes of an encoded event: header names, header values and body, framing left out. It is the
/// measure that [`crate::Limits`] uses, and exact. Batched mode counts a batch of this one event.
///
/// Framing is the protocol's own: two more separators per header and the request line on HTTP/1.1, a
/// few bytes per header on Kafka. CloudEvents 1.0.2, "Size Limits", asks everybody to carry 64 KiB.
///
/// ```
/// use cloudevents_nl_codec::{ContentMode, Event, KAFKA, wire_size};
///
/// let event = Event::new("1", "/a", "b")?;
/// let headers = ["ce_specversion", "1.0", "ce_id", "1", "ce_source", "/a", "ce_type", "b"];
/// let size = wire_size(&event, &KAFKA, ContentMode::Binary)?;
/// assert_eq!(size, headers.concat().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
