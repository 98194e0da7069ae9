//! Finds where strings end (RFC 8259, section 7).

use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{BLOCK, Lanes, WIDTH, block_mask, has_none};
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
    let rest = Lanes::tail(bytes, at);
    match rest.lanes.must_be_escaped() >> rest.before {
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

/// A string inside a JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScannedString {
    /// Where the closing quote is.
    pub(crate) end: usize,
    pub(crate) form: Form,
}

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In printable ASCII, U+0020 to U+007E, which every attribute may hold.
    Printable,
    /// In other characters too, none of them escaped.
    Unescaped,
    /// With an escape, which may hide any character.
    Escaped,
}

impl Form {
    #[inline(always)]
    const fn of(printable: bool) -> Self {
        if printable {
            Self::Printable
        } else {
            Self::Unescaped
        }
    }
}

/// As [`string_end`], and tells how the string is written.
#[inline(always)]
pub(crate) fn string(bytes: &[u8], mut at: usize) -> Result<ScannedString, JsonError> {
    let mut above_7e = 0;
    while let Some(lanes) = Lanes::at(bytes, at) {
        let specials = lanes.must_be_escaped();
        if specials != 0 {
            let below = (specials & specials.wrapping_neg()) - 1;
            at += specials.trailing_zeros() as usize;
            let printable = above_7e | (lanes.above_7e() & below) == 0;
            if byte_at(bytes, at) == b'"' {
                let form = Form::of(printable);
                return Ok(ScannedString { end: at, form });
            }
            return rest_of_string(bytes, at, printable);
        }
        above_7e |= lanes.above_7e();
        at += WIDTH;
    }
    rest_of_string(bytes, at, above_7e == 0)
}

/// Goes on for [`string`] at an escape, or in the last bytes of a text.
fn rest_of_string(bytes: &[u8], at: usize, printable: bool) -> Result<ScannedString, JsonError> {
    let end = string_end(bytes, at)?;
    let rest = bytes.get(at..end).unwrap_or_default();
    let form = if rest.contains(&b'\\') {
        Form::Escaped
    } else {
        Form::of(printable && is_printable(rest))
    };
    Ok(ScannedString { end, form })
}

/// Whether all bytes are printable ASCII: U+0020 to U+007E.
#[inline]
pub(crate) fn is_printable(bytes: &[u8]) -> bool {
    has_none(bytes, Lanes::not_printable)
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

    #[test]
    fn notices_del_and_high_bytes_below_the_quote_only() {
        for length in 0..40 {
            for above_7e in [0x7F, 0x80, 0xFF] {
                for at in 0..=length + 1 {
                    let mut bytes = vec![b'~'; length];
                    bytes.push(b'"');
                    bytes.extend([b'x'; 17]);
                    if at != length {
                        bytes[at] = above_7e;
                    }
                    let scanned = string(&bytes, 0).unwrap();
                    assert_eq!(scanned.end, length);
                    assert_eq!(
                        scanned.form,
                        Form::of(at >= length),
                        "{length} {at} {above_7e}"
                    );
                }
            }
        }
    }

    #[test]
    fn printable_ascii_is_what_the_range_says() {
        for byte in 0..=u8::MAX {
            for at in 0..19 {
                let mut bytes = [b'a'; 19];
                bytes[at] = byte;
                assert_eq!(is_printable(&bytes), matches!(byte, 0x20..=0x7E), "{byte}");
            }
        }
    }
}
