//! The batched format: one array of events, in and out.

use crate::Event;
use crate::error::{DecodeError, DecodeErrorKind, Place};
use crate::json::scan::expect_end;
use crate::tokens::{byte_at, skip_space, unexpected};
use crate::wire::ReadOptions;
use crate::wire::json_reader::partial::read_partial;
use crate::wire::json_reader::{other_kind, read_event};

/// One element of a batch: its event, and its JSON text to be forwarded untouched (JSON format 1.0.2, section 4).
///
/// ```
/// use cloudevents_nl_codec::{BATCHED_JSON, Decoder, Event, encode_batch, encode_structured, join_batch};
///
/// let events = [Event::new("1", "/a", "b")?, Event::new("2", "/a", "b")?];
/// let body = encode_batch(&events, |name, value| {
///     assert_eq!((name, value), ("content-type", BATCHED_JSON));
/// });
/// let elements = Decoder::default().decode_batch(&body)?;
/// let mut text = Vec::new();
/// encode_structured(&events[1], &mut text);
/// assert_eq!((&elements[1].event, elements[1].text), (&events[1], &*text));
/// let mut batch = Vec::new();
/// join_batch(elements.iter().map(|element| element.text), &mut batch);
/// assert_eq!(batch, body);
/// let error = Decoder::default().decode_batch(b"[{}]").unwrap_err();
/// assert_eq!(error.element, Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchElement<'a> {
    /// The text of the element in the batch, from `{` to `}`.
    pub text: &'a [u8],
    /// The event read from it.
    pub event: Event<'a>,
}

/// Reads a batch; an error in one element is an error of the batch, with the element's number.
pub(crate) fn read_batch<'a>(
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<Vec<BatchElement<'a>>, DecodeError> {
    let at = skip_space(bytes, 0);
    if byte_at(bytes, at) != b'[' {
        return Err(other_kind(DecodeErrorKind::NotAnArray, bytes, at));
    }
    let mut elements = Vec::new();
    let mut at = skip_space(bytes, at + 1);
    loop {
        if elements.is_empty() && byte_at(bytes, at) == b']' {
            break;
        }
        let start = at;
        let in_element = |error| DecodeError {
            element: Some(elements.len()),
            partial: read_partial(bytes, start),
            ..error
        };
        let too_large = |place| in_element(DecodeError::new(DecodeErrorKind::TooLarge, place));
        // An event of 50 bytes costs far more than its bytes wherever it goes from here.
        if elements.len() >= options.limits.batch_events {
            return Err(too_large(Place::Batch));
        }
        let mut event = Event::blank();
        let end = read_event(bytes, start, options, &mut event).map_err(in_element)?;
        if end - start > options.limits.event_bytes {
            return Err(too_large(Place::Message));
        }
        let text = bytes.get(start..end).unwrap_or_default();
        elements.push(BatchElement { text, event });
        at = skip_space(bytes, end);
        match byte_at(bytes, at) {
            b',' => at = skip_space(bytes, at + 1),
            b']' => break,
            _ => return Err(unexpected(bytes, at).into()),
        }
    }
    expect_end(bytes, at + 1)?;
    Ok(elements)
}

pub(crate) fn write_batch<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (index, element) in elements.into_iter().enumerate() {
        if index != 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}
