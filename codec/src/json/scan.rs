//! Finds where strings end (RFC 8259, section 7).

use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{BLOCK, Lanes, WIDTH, block_mask};
use crate::tokens::{byte_at, skip_escape};
use crate::vector::VectorLoops;

#[cfg(test)]
const fn must_be_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Walks over characters that are not escaped; returns where the first is that must be, or the end.
#[inline(always)]
pub(crate) fn skip_unescaped(bytes: &[u8], mut at: usize) -> usize {
    // Most strings end within the first two vectors: one branch for both is foreseen more often.
    if let Some(two) = bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk::<{ 2 * WIDTH }>)
    {
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
