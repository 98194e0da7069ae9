//! The tokens of JSON (RFC 8259, section 2) one at a time: white space, escapes, numbers, literals.

use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{Lanes, WIDTH};

/// The byte at `at`, or NUL after the end: NUL is legal nowhere in a JSON text.
#[inline(always)]
pub(crate) fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// As [`skip_space`], and the byte that is there.
#[inline(always)]
pub(crate) fn token(bytes: &[u8], at: usize) -> (usize, u8) {
    let byte = byte_at(bytes, at);
    if byte > b' ' {
        return (at, byte);
    }
    let at = skip_run_of_space(bytes, at);
    (at, byte_at(bytes, at))
}

/// The first byte at or after `at` that is not white space.
#[inline(always)]
pub(crate) fn skip_space(bytes: &[u8], at: usize) -> usize {
    token(bytes, at).0
}

/// Compact texts never come here; in indented ones runs are long.
#[inline]
fn skip_run_of_space(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match byte_at(bytes, at) {
            b'\n' => {
                at += 1;
                while bytes.get(at..at + 8) == Some(b"        ") {
                    at += 8;
                }
            }
            b' ' | b'\t' | b'\r' => at += 1,
            _ => return at,
        }
    }
}

/// Walks over an escape whose backslash is at `at`.
#[inline(always)]
pub(crate) fn skip_escape(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match byte_at(bytes, at + 1) {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 2),
        b'u' => match bytes.get(at + 2..at + 6) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            Some(_) => Err(JsonError::new(JsonFault::Escape, at)),
            None => Err(JsonError::new(JsonFault::UnexpectedEnd, bytes.len())),
        },
        _ if at + 1 < bytes.len() => Err(JsonError::new(JsonFault::Escape, at)),
        _ => Err(JsonError::new(JsonFault::UnexpectedEnd, bytes.len())),
    }
}

/// The character of `uXXXX`, or of `uXXXX\uXXXX` for a surrogate pair, and its length in bytes.
pub(crate) fn unicode(escape: &[u8]) -> Result<(char, usize), JsonFault> {
    let first = hex(escape.get(1..5)).ok_or(JsonFault::Escape)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 5));
    }
    let second = match escape.get(5..7) {
        Some(br"\u") => hex(escape.get(7..11)).ok_or(JsonFault::Escape)?,
        _ => return Err(JsonFault::LoneSurrogate),
    };
    // Four digits are 16 bits.
    let pair = char::decode_utf16([first as u16, second as u16]).next();
    let character = pair.and_then(Result::ok).ok_or(JsonFault::LoneSurrogate)?;
    Ok((character, 11))
}

/// The number that all of these bytes are in hexadecimal digits; of eight bytes at most.
pub(crate) fn hex(digits: Option<&[u8]>) -> Option<u32> {
    digits?.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    })
}

/// Walks over a number that begins with `first`.
#[inline(always)]
pub(crate) fn skip_number(bytes: &[u8], at: usize, first: u8) -> Result<usize, JsonError> {
    let whole = at + usize::from(first == b'-');
    short_number(bytes, whole).map_or_else(|| any_number(bytes, whole), Ok)
}

/// Fast path: where a number of less than sixteen bytes without sign and exponent ends.
#[inline(always)]
fn short_number(bytes: &[u8], at: usize) -> Option<usize> {
    let chunk = bytes.get(at..at + WIDTH)?.first_chunk()?;
    // Behind the last lane lies what is no digit.
    let not_digits = Lanes::of(chunk).not_digits() | 1 << WIDTH;
    let digits = not_digits.trailing_zeros() as usize;
    if !(1..WIDTH).contains(&digits) || (digits > 1 && chunk[0] == b'0') {
        return None;
    }
    let end = match chunk[digits] {
        b'.' => (not_digits & (not_digits - 1)).trailing_zeros() as usize,
        _ => digits,
    };
    let is_usual = end < WIDTH && end != digits + 1 && chunk[end] | 0x20 != b'e';
    is_usual.then_some(at + end)
}

#[inline(never)]
fn any_number(bytes: &[u8], whole: usize) -> Result<usize, JsonError> {
    let mut end = match byte_at(bytes, whole) {
        b'0' => whole + 1,
        _ => skip_digits(bytes, whole)?,
    };
    if byte_at(bytes, end) == b'.' {
        end = skip_digits(bytes, end + 1)?;
    }
    if matches!(byte_at(bytes, end), b'e' | b'E') {
        let sign = usize::from(matches!(byte_at(bytes, end + 1), b'+' | b'-'));
        end = skip_digits(bytes, end + 1 + sign)?;
    }
    Ok(end)
}

#[inline(always)]
fn skip_digits(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let mut end = at;
    while byte_at(bytes, end).is_ascii_digit() {
        end += 1;
    }
    if end == at {
        return Err(JsonError::of(JsonFault::Number, bytes, at));
    }
    Ok(end)
}

#[inline]
pub(crate) fn skip_literal(bytes: &[u8], at: usize, literal: &[u8]) -> Result<usize, JsonError> {
    let is_there = bytes.get(at..at + literal.len()) == Some(literal);
    let end = is_there.then_some(at + literal.len());
    end.ok_or_else(|| JsonError::new(JsonFault::UnexpectedByte, at))
}

/// The error for a byte that cannot stand where it is, or for the end of the text.
#[cold]
pub(crate) fn unexpected(bytes: &[u8], at: usize) -> JsonError {
    JsonError::of(JsonFault::UnexpectedByte, bytes, at)
}
