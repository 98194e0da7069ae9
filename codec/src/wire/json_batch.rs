//! The batched format: one array of events, in and out.

use crate::Event;
use crate::error::{DecodeError, DecodeErrorKind, Place};
use crate::tokens::{byte_at, skip_space, unexpected};
use crate::wire::ReadOptions;
use crate::wire::json_reader::partial::read_partial;
use crate::wire::json_reader::{expect_end, other_kind, read_event};

/// One element of a batch: its event, and its JSON text to be forwarded untouched (JSON format 1.0.2,
/// section 4).
///
/// ```
/// use cloudevents_nl_codec::Decoder;
///
/// let batch = br#"[ {"specversion":"1.0","id":"1","source":"/a","type":"b"} ]"#;
/// let elements = Decoder::default().decode_batch(batch)?;
/// assert_eq!(elements[0].event.id(), "1");
/// assert_eq!(elements[0].text, &batch[2..batch.len() - 2]);
/// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
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
    if byte_at(bytes, at) == b']' {
        expect_end(bytes, at + 1)?;
        return Ok(elements);
    }
    loop {
        let start = at;
        let in_element = |error| DecodeError {
            element: Some(elements.len()),
            partial: read_partial(bytes, start),
            ..error
        };
        // An event of 50 bytes costs far more than its bytes wherever it goes from here.
        if elements.len() >= options.limits.batch_events {
            let error = DecodeError::new(DecodeErrorKind::TooLarge, Place::Batch);
            return Err(in_element(error));
        }
        let mut event = Event::blank();
        let end = read_event(bytes, start, options, &mut event).map_err(in_element)?;
        if end - start > options.limits.event_bytes {
            let error = DecodeError::new(DecodeErrorKind::TooLarge, Place::Message);
            return Err(in_element(error));
        }
        let text = bytes.get(start..end).unwrap_or_default();
        elements.push(BatchElement { text, event });
        at = skip_space(bytes, end);
        match byte_at(bytes, at) {
            b',' => at = skip_space(bytes, at + 1),
            b']' => {
                expect_end(bytes, at + 1)?;
                return Ok(elements);
            }
            _ => return Err(unexpected(bytes, at).into()),
        }
    }
}

/// Appends an array of elements, each written by `write`.
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
