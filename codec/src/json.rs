//! The grammar of RFC 8259, and nothing else: what a string, a number and a value look like.
//!
//! Both the reader of JSON events and [`JsonText`] stand on this one engine. It looks at bytes, walks them
//! once, keeps nesting in one integer and never recurses. It builds no tree, changes no byte and knows
//! nothing of events. Whether the bytes are UTF-8 is asked apart from that, where they become text.

pub(crate) mod escape;
pub(crate) mod scan;
pub(crate) mod text;
pub(crate) mod value;

use crate::limits::DEPTH_MAX;
use crate::vector::ascii::ascii;
use text::{JsonError, JsonFault};

/// Bytes that simdutf8 looks at without a loop of its own for the rest, twice over: values of `data` are
/// often somewhat above or below the half.
const UTF8_BLOCKS: usize = 128;

/// The text of `bytes`, which is UTF-8 without a byte order mark.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, JsonError> {
    match checked(bytes) {
        Some(text) if bytes.first() != Some(&0xEF) || !text.starts_with('\u{feff}') => Ok(text),
        Some(_) => Err(JsonError::new(JsonFault::ByteOrderMark, 0)),
        None => Err(not_utf8(bytes, 0)),
    }
}

/// The text from `start` to `end`, which is UTF-8, and begins behind ASCII.
///
/// Bytes before it are looked at too, because whole blocks are checked fastest. If those are not UTF-8, that
/// says nothing of these.
#[inline]
pub(crate) fn utf8_between(bytes: &[u8], start: usize, end: usize) -> Result<&str, JsonError> {
    let before = end.saturating_sub((end - start).next_multiple_of(UTF8_BLOCKS));
    if let Some(blocks) = bytes.get(before..end)
        && let Ok(text) = simdutf8::basic::from_utf8(blocks)
        && let Some(text) = text.get(start - before..)
    {
        return Ok(text);
    }
    let bytes = bytes.get(start..end).unwrap_or_default();
    checked(bytes).ok_or_else(|| not_utf8(bytes, start))
}

#[inline]
fn checked(bytes: &[u8]) -> Option<&str> {
    // Below one block of 64 bytes simdutf8 falls back to the standard library.
    if bytes.len() < 64 {
        ascii(bytes).or_else(|| str::from_utf8(bytes).ok())
    } else {
        simdutf8::basic::from_utf8(bytes).ok()
    }
}

/// Finds the place that the fast check does not tell, in bytes that begin at `start`.
#[cold]
fn not_utf8(bytes: &[u8], start: usize) -> JsonError {
    let at = simdutf8::compat::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    JsonError::new(JsonFault::NotUtf8, start + at)
}

/// Whether `text` is exactly one JSON value, nested no deeper than `levels`.
pub(crate) fn validate(text: &str, levels: usize) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let start = scan::skip_space(bytes, 0);
    let end = value::skip_fast(bytes, start, levels.min(DEPTH_MAX))?;
    let end = scan::skip_space(bytes, end);
    if end == bytes.len() {
        Ok(())
    } else {
        Err(JsonError::new(JsonFault::TrailingText, end))
    }
}
