//! Walks over one value of any kind, whatever is in it.

use super::scan::{byte_at, long_string_end, string_end, token};
use super::text::{JsonError, JsonFault};
use crate::lanes::Lanes;
use crate::vector;

/// As [`skip`], by vector code where that pays and the value is valid.
#[inline]
pub(crate) fn skip_fast(bytes: &[u8], at: usize, levels: usize) -> Result<usize, JsonError> {
    match byte_at(bytes, at) {
        b'"' => return Ok(long_string_end(bytes, at + 1)? + 1),
        b'{' | b'[' if bytes.len() - at >= vector::WORTHWHILE => {
            if let Some(end) = vector::skip_container(bytes, at, levels) {
                return Ok(end);
            }
        }
        _ => {}
    }
    skip(bytes, at, levels)
}

/// Walks over the value that starts at `at`, nested no deeper than `levels` (at most 128); returns
/// where it ends. Nesting lives in the bits of one integer: 1 is an object, 0 an array.
#[inline]
pub(crate) fn skip(bytes: &[u8], at: usize, levels: usize) -> Result<usize, JsonError> {
    let mut nesting: u128 = 0;
    let mut depth = 0;
    let (mut at, mut first) = (at, byte_at(bytes, at));
    'value: loop {
        match first {
            b'"' => at = string_end(bytes, at + 1)? + 1,
            opening @ (b'{' | b'[') => {
                if depth == levels {
                    return Err(JsonError::new(JsonFault::TooDeep, at));
                }
                let in_object = opening == b'{';
                let (inside, byte) = token(bytes, at + 1);
                if byte == closing(in_object) {
                    at = inside + 1;
                } else {
                    depth += 1;
                    nesting = nesting << 1 | u128::from(in_object);
                    (at, first) = (inside, byte);
                    if in_object {
                        (at, first) = skip_name(bytes, inside, byte)?;
                    }
                    continue 'value;
                }
            }
            b'-' | b'0'..=b'9' => at = skip_number(bytes, at)?,
            b't' => at = skip_literal(bytes, at, b"true")?,
            b'f' => at = skip_literal(bytes, at, b"false")?,
            b'n' => at = skip_literal(bytes, at, b"null")?,
            _ => return Err(unexpected(bytes, at)),
        }
        while depth != 0 {
            let in_object = nesting & 1 == 1;
            let (end, byte) = token(bytes, at);
            if byte == b',' {
                (at, first) = token(bytes, end + 1);
                if in_object {
                    (at, first) = skip_name(bytes, at, first)?;
                }
                continue 'value;
            }
            if byte != closing(in_object) {
                return Err(unexpected(bytes, end));
            }
            at = end + 1;
            depth -= 1;
            nesting >>= 1;
        }
        return Ok(at);
    }
}

#[inline(always)]
const fn closing(in_object: bool) -> u8 {
    if in_object { b'}' } else { b']' }
}

/// Walks over a member name that begins with `first`, its colon and the space around it; returns where
/// the value is, and its first byte.
#[inline(always)]
fn skip_name(bytes: &[u8], at: usize, first: u8) -> Result<(usize, u8), JsonError> {
    if first != b'"' {
        return Err(unexpected(bytes, at));
    }
    let end = string_end(bytes, at + 1)?;
    colon(bytes, end + 1)
}

/// Walks over a colon and the space around it.
#[inline(always)]
pub(crate) fn skip_colon(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    colon(bytes, at).map(|(at, _)| at)
}

#[inline(always)]
fn colon(bytes: &[u8], at: usize) -> Result<(usize, u8), JsonError> {
    let (at, byte) = token(bytes, at);
    if byte == b':' {
        Ok(token(bytes, at + 1))
    } else {
        Err(unexpected(bytes, at))
    }
}

/// Walks over a number.
#[inline]
pub(crate) fn skip_number(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let whole = at + usize::from(byte_at(bytes, at) == b'-');
    if let Some(end) = common_number(bytes, whole) {
        return Ok(end);
    }
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

/// Where a number of less than sixteen bytes without an exponent ends, as nearly all of them are. How
/// many digits there are is not to be foreseen, so they are not walked over one by one.
#[inline(always)]
fn common_number(bytes: &[u8], at: usize) -> Option<usize> {
    let others = Lanes::at(bytes, at)?.not_digits();
    let digits = others.trailing_zeros() as usize;
    if digits == 0 || others == 0 || (digits > 1 && byte_at(bytes, at) == b'0') {
        return None;
    }
    match byte_at(bytes, at + digits) {
        b'.' => {
            let others = others & (others - 1);
            let end = others.trailing_zeros() as usize;
            let has_end = others != 0 && end > digits + 1;
            let has_exponent = byte_at(bytes, at + end) | 0x20 == b'e';
            (has_end && !has_exponent).then_some(at + end)
        }
        b'e' | b'E' => None,
        _ => Some(at + digits),
    }
}

#[inline(always)]
fn skip_digits(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let mut end = at;
    while byte_at(bytes, end).is_ascii_digit() {
        end += 1;
    }
    if end == at {
        return Err(bad_number(bytes, at));
    }
    Ok(end)
}

#[cold]
fn bad_number(bytes: &[u8], at: usize) -> JsonError {
    if at < bytes.len() {
        JsonError::new(JsonFault::Number, at)
    } else {
        JsonError::new(JsonFault::UnexpectedEnd, at)
    }
}

/// Walks over `true`, `false` or `null`.
#[inline]
pub(crate) fn skip_literal(
    bytes: &[u8],
    at: usize,
    literal: &'static [u8],
) -> Result<usize, JsonError> {
    if bytes.get(at..at + literal.len()) == Some(literal) {
        Ok(at + literal.len())
    } else {
        Err(JsonError::new(JsonFault::UnexpectedByte, at))
    }
}

/// The error for a byte that cannot stand where it is, or for the end of the text.
#[cold]
pub(crate) fn unexpected(bytes: &[u8], at: usize) -> JsonError {
    if at < bytes.len() {
        JsonError::new(JsonFault::UnexpectedByte, at)
    } else {
        JsonError::new(JsonFault::UnexpectedEnd, bytes.len())
    }
}
