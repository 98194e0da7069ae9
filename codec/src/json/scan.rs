//! Walks over strings and values (RFC 8259), whatever is in them, and finds where they end.

use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{BLOCK, Lanes, WIDTH, block_mask};
use crate::limits::DEPTH_MAX;
use crate::tokens::{
    byte_at, skip_escape, skip_literal, skip_number, skip_space, token, unexpected,
};
use crate::vector::VectorLoops;

#[cfg(test)]
const fn must_be_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Walks over characters that are not escaped; returns where the first is that must be, or the end.
#[inline(always)]
pub(crate) fn skip_unescaped(bytes: &[u8], mut at: usize) -> usize {
    // Most strings end within the first two vectors: one branch for both is foreseen more often.
    if let Some(two) = bytes.get(at..at + 2 * WIDTH) {
        let (chunks, _) = two.as_chunks::<WIDTH>();
        let specials = Lanes::of(&chunks[0]).must_be_escaped()
            | Lanes::of(&chunks[1]).must_be_escaped() << WIDTH;
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        at += 2 * WIDTH;
    }
    while let Some(lanes) = Lanes::at(bytes, at) {
        let specials = lanes.must_be_escaped();
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        at += WIDTH;
    }
    unescaped_end(bytes, at)
}

/// As [`skip_unescaped`], of less than a vector.
#[inline(never)]
fn unescaped_end(bytes: &[u8], at: usize) -> usize {
    let (rest, before) = Lanes::tail(bytes, at);
    match rest.must_be_escaped() >> before {
        0 => bytes.len(),
        specials => at + specials.trailing_zeros() as usize,
    }
}

/// Walks over a string whose opening quote is after `at`; returns where its closing quote is.
#[inline(always)]
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    loop {
        at = skip_unescaped(bytes, at);
        match byte_at(bytes, at) {
            b'"' => return Ok(at),
            b'\\' => at = skip_escape(bytes, at)?,
            _ => return Err(JsonError::of(JsonFault::ControlCharacter, bytes, at)),
        }
    }
}

/// As [`string_end`], for strings that may be long: the text of a document and its escapes.
#[inline(never)]
pub(crate) fn long_string_end(
    loops: Option<VectorLoops>,
    bytes: &[u8],
    mut at: usize,
) -> Result<usize, JsonError> {
    loop {
        if let Some(loops) = loops {
            at = loops.skip_text(bytes, at);
        }
        let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
            return string_end(bytes, at);
        };
        let mut specials = block_mask(block, Lanes::must_be_escaped);
        let mut next = at + BLOCK;
        while specials != 0 {
            let special = at + specials.trailing_zeros() as usize;
            if byte_at(bytes, special) != b'\\' {
                return string_end(bytes, special);
            }
            // What is escaped may be a quote or a backslash; the other bytes of an escape are neither.
            next = next.max(skip_escape(bytes, special)?.min(special + 2));
            let escape = specials & specials.wrapping_neg();
            specials &= !(escape | escape << 1);
        }
        at = next;
    }
}

/// Whether `text` is exactly one JSON value, nested no deeper than `depth_max`.
pub(crate) fn validate(text: &str, depth_max: usize) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let start = skip_space(bytes, 0);
    let end = match byte_at(bytes, start) {
        b'"' => long_string_end(VectorLoops::detect(), bytes, start + 1)? + 1,
        _ => skip(bytes, start, depth_max.min(DEPTH_MAX))?,
    };
    expect_end(bytes, end)
}

/// The error for anything but white space after the end.
pub(crate) fn expect_end(bytes: &[u8], at: usize) -> Result<(), JsonError> {
    let at = skip_space(bytes, at);
    let end = (at == bytes.len()).then_some(());
    end.ok_or_else(|| JsonError::new(JsonFault::TrailingText, at))
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
            b'-' | b'0'..=b'9' => at = skip_number(bytes, at, first)?,
            b't' => at = skip_literal(bytes, at, b"true")?,
            b'f' => at = skip_literal(bytes, at, b"false")?,
            b'n' => at = skip_literal(bytes, at, b"null")?,
            _ => return Err(unexpected(bytes, at)),
        }
        while depth != 0 {
            let in_object = stack & 1 == 1;
            // Compact texts: one look for the comma and what begins the next name.
            if in_object && bytes.get(at..).is_some_and(|rest| rest.starts_with(b",\"")) {
                (at, first) = skip_name(bytes, at + 1, b'"')?;
                continue 'value;
            }
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

/// Walks over a member name that begins with `first`, and on as [`skip_colon`].
#[inline(always)]
fn skip_name(bytes: &[u8], at: usize, first: u8) -> Result<(usize, u8), JsonError> {
    if first != b'"' {
        return Err(unexpected(bytes, at));
    }
    let end = string_end(bytes, at + 1)?;
    skip_colon(bytes, end + 1)
}

/// Walks over a colon and the space around it; returns where the value is, and its first byte.
#[inline(always)]
pub(crate) fn skip_colon(bytes: &[u8], at: usize) -> Result<(usize, u8), JsonError> {
    // Compact texts: one look for both.
    if let Some(&[b':', first]) = bytes.get(at..at + 2)
        && first > b' '
    {
        return Ok((at + 1, first));
    }
    let (at, byte) = token(bytes, at);
    if byte == b':' {
        Ok(token(bytes, at + 1))
    } else {
        Err(unexpected(bytes, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_byte_to_escape_at_every_offset() {
        for length in 0..40 {
            for special in [b'"', b'\\', 0, 0x1F] {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = special;
                    assert_eq!(skip_unescaped(&bytes, 0), at);
                }
            }
            assert_eq!(skip_unescaped(&vec![0xE9; length], 0), length);
        }
    }

    #[test]
    fn long_strings_end_where_short_ones_do() {
        for length in 0..150 {
            for piece in [
                "\"",
                "\\\"\"",
                "\\\\\"",
                "\\n\"",
                "\\u00e9\"",
                "\n",
                "\\x\"",
                "\\u12\"",
                "\\",
                "\\u1",
                "",
                "\\\\\\\"\\\\\\\\\"",
            ] {
                for after in [0, 1, 70] {
                    let text = format!("{}{piece}{}", "x".repeat(length), "y".repeat(after));
                    let expected = string_end(text.as_bytes(), 0);
                    assert_eq!(
                        long_string_end(None, text.as_bytes(), 0),
                        expected,
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn escapes_quote_backslash_and_controls_only() {
        for byte in 0..=u8::MAX {
            let mut bytes = [b'x'; WIDTH];
            bytes[3] = byte;
            let expected = if must_be_escaped(byte) { 3 } else { WIDTH };
            assert_eq!(skip_unescaped(&bytes, 0), expected, "{byte}");
        }
    }
}
