//! Walks over one value of any kind, whatever is in it.

use super::scan::{long_string_end, string_end};
use crate::error::json::{JsonError, JsonFault};
use crate::limits::DEPTH_MAX;
use crate::tokens::{byte_at, skip_literal, skip_number, skip_space, token, unexpected};
use crate::vector::VectorLoops;

/// Whether `text` is exactly one JSON value, nested no deeper than `depth_max`.
pub(crate) fn validate(text: &str, depth_max: usize) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let start = skip_space(bytes, 0);
    let end = match byte_at(bytes, start) {
        b'"' => long_string_end(VectorLoops::detect(), bytes, start + 1)? + 1,
        _ => skip(bytes, start, depth_max.min(DEPTH_MAX))?,
    };
    let end = skip_space(bytes, end);
    if end == bytes.len() {
        Ok(())
    } else {
        Err(JsonError::new(JsonFault::TrailingText, end))
    }
}

/// Walks over the value that starts at `at`, nested no deeper than `depth_max` (at most 128); returns
/// where it ends. The stack has one bit per level: 1 is an object, 0 an array.
#[inline]
pub(crate) fn skip(bytes: &[u8], at: usize, depth_max: usize) -> Result<usize, JsonError> {
    let mut stack: u128 = 0;
    let mut depth = 0;
    let (mut at, mut first) = (at, byte_at(bytes, at));
    'value: loop {
        match first {
            b'"' => at = string_end(bytes, at + 1)? + 1,
            opening @ (b'{' | b'[') => {
                if depth == depth_max {
                    return Err(JsonError::new(JsonFault::TooDeep, at));
                }
                let in_object = opening == b'{';
                let (inside, byte) = token(bytes, at + 1);
                if byte == closing(in_object) {
                    at = inside + 1;
                } else {
                    depth += 1;
                    stack = stack << 1 | u128::from(in_object);
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
            let in_object = stack & 1 == 1;
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
            stack >>= 1;
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
