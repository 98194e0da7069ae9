//! Bytes that are UTF-8 (RFC 8259, section 8.1).

use crate::error::json::{JsonError, JsonFault};
use crate::vector::verbatim::ascii;

/// Whole blocks of simdutf8, which checks a remainder more slowly.
const UTF8_BLOCKS: usize = 128;

/// The text of `bytes`, which is UTF-8 without a byte order mark.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, JsonError> {
    match text(bytes) {
        Some(text) if bytes.first() != Some(&0xEF) || !text.starts_with('\u{feff}') => Ok(text),
        Some(_) => Err(JsonError::new(JsonFault::ByteOrderMark, 0)),
        None => Err(not_utf8(bytes, 0)),
    }
}

/// The text from `start` to `end`, if it is UTF-8; the byte before it is ASCII.
///
/// Whole blocks are checked first, which begin before it; only if they are not UTF-8 is it checked alone.
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
    text(bytes).ok_or_else(|| not_utf8(bytes, start))
}

/// The text of `bytes`, if it is UTF-8.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
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
