//! Finds ends: of strings, of white space.

use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{BLOCK, Lanes, WIDTH, block_mask};
use crate::tokens::{byte_at, skip_escape};
use crate::vector::blocks::Blocks;

#[cfg(test)]
const fn is_stop(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The first stop at or after `at`, or the end.
#[inline(always)]
pub(crate) fn next_stop(bytes: &[u8], mut at: usize) -> usize {
    while let Some(lanes) = Lanes::at(bytes, at) {
        let stops = lanes.stops();
        if stops != 0 {
            return at + stops.trailing_zeros() as usize;
        }
        at += WIDTH;
    }
    let rest = Lanes::rest(bytes, at);
    match rest.lanes.stops() >> rest.before {
        0 => bytes.len(),
        stops => at + stops.trailing_zeros() as usize,
    }
}

/// Walks over a string whose opening quote is behind `at`; returns where its closing quote is.
#[inline(always)]
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    loop {
        at = next_stop(bytes, at);
        match byte_at(bytes, at) {
            b'"' => return Ok(at),
            b'\\' => at = skip_escape(bytes, at)?,
            _ => return Err(control_or_end(bytes, at)),
        }
    }
}

/// As [`string_end`], for strings that may be long: the text of a document and its escapes.
pub(crate) fn long_string_end(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    long_string_end_by(Blocks::detect(), bytes, at)
}

#[inline(never)]
pub(crate) fn long_string_end_by(
    by: Option<Blocks>,
    bytes: &[u8],
    mut at: usize,
) -> Result<usize, JsonError> {
    loop {
        if let Some(blocks) = by {
            at = blocks.skip_text(bytes, at);
        }
        let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
            return string_end(bytes, at);
        };
        let mut stops = block_mask(block, Lanes::stops);
        let mut next = at + BLOCK;
        while stops != 0 {
            let stop = at + stops.trailing_zeros() as usize;
            if byte_at(bytes, stop) != b'\\' {
                return string_end(bytes, stop);
            }
            // What is escaped may look like a stop; the other bytes of an escape do not.
            next = next.max(skip_escape(bytes, stop)?.min(stop + 2));
            let escape = stops & stops.wrapping_neg();
            stops &= !(escape | escape << 1);
        }
        at = next;
    }
}

/// A string inside a JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanned {
    /// Where the closing quote is.
    pub(crate) end: usize,
    pub(crate) form: Form,
}

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In U+0020 to U+007E, so that no character needs a closer look.
    Plain,
    /// In other characters too.
    Wide,
    /// With an escape, which may hide any character.
    Escaped,
}

impl Form {
    #[inline(always)]
    const fn of(plain: bool) -> Self {
        if plain { Self::Plain } else { Self::Wide }
    }
}

/// As [`string_end`], and looks for what makes an attribute worth a closer look.
#[inline(always)]
pub(crate) fn string(bytes: &[u8], mut at: usize) -> Result<Scanned, JsonError> {
    let mut odd = 0;
    while let Some(lanes) = Lanes::at(bytes, at) {
        let stops = lanes.stops();
        if stops != 0 {
            let below = (stops & stops.wrapping_neg()) - 1;
            at += stops.trailing_zeros() as usize;
            let plain = odd | (lanes.odds() & below) == 0;
            if byte_at(bytes, at) == b'"' {
                let form = Form::of(plain);
                return Ok(Scanned { end: at, form });
            }
            return rest_of_string(bytes, at, plain);
        }
        odd |= lanes.odds();
        at += WIDTH;
    }
    rest_of_string(bytes, at, odd == 0)
}

/// The slow end of [`string`]: escapes, and the last bytes of a text.
fn rest_of_string(bytes: &[u8], at: usize, plain: bool) -> Result<Scanned, JsonError> {
    let end = string_end(bytes, at)?;
    let rest = bytes.get(at..end).unwrap_or_default();
    let form = if rest.contains(&b'\\') {
        Form::Escaped
    } else {
        Form::of(plain && is_plain(rest))
    };
    Ok(Scanned { end, form })
}

/// Whether all bytes are in U+0020 to U+007E.
#[inline]
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    let odd = chunks
        .iter()
        .fold(0, |odd, chunk| odd | Lanes::of(chunk).not_plain());
    odd | Lanes::rest(bytes, chunks.len() * WIDTH).lanes.not_plain() == 0
}

#[cold]
fn control_or_end(bytes: &[u8], at: usize) -> JsonError {
    if at < bytes.len() {
        JsonError::new(JsonFault::ControlCharacter, at)
    } else {
        JsonError::new(JsonFault::UnexpectedEnd, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_stop_at_every_offset() {
        for length in 0..40 {
            for stop in [b'"', b'\\', 0, 0x1F] {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = stop;
                    assert_eq!(next_stop(&bytes, 0), at);
                }
            }
            assert_eq!(next_stop(&vec![0xE9; length], 0), length);
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
                for behind in [0, 1, 70] {
                    let text = format!("{}{piece}{}", "x".repeat(length), "y".repeat(behind));
                    let expected = string_end(text.as_bytes(), 0);
                    assert_eq!(long_string_end(text.as_bytes(), 0), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn stops_at_quote_backslash_and_controls_only() {
        for byte in 0..=u8::MAX {
            let mut bytes = [b'x'; WIDTH];
            bytes[3] = byte;
            let expected = if is_stop(byte) { 3 } else { WIDTH };
            assert_eq!(next_stop(&bytes, 0), expected, "{byte}");
        }
    }

    #[test]
    fn notices_del_and_high_bytes_below_the_quote_only() {
        for length in 0..40 {
            for odd in [0x7F, 0x80, 0xFF] {
                for at in 0..=length + 1 {
                    let mut bytes = vec![b'~'; length];
                    bytes.push(b'"');
                    bytes.extend([b'x'; 17]);
                    if at != length {
                        bytes[at] = odd;
                    }
                    let scanned = string(&bytes, 0).unwrap();
                    assert_eq!(scanned.end, length);
                    assert_eq!(scanned.form, Form::of(at >= length), "{length} {at} {odd}");
                }
            }
        }
    }

    #[test]
    fn plain_text_is_what_the_range_says() {
        for byte in 0..=u8::MAX {
            for at in 0..19 {
                let mut bytes = [b'a'; 19];
                bytes[at] = byte;
                assert_eq!(is_plain(&bytes), matches!(byte, 0x20..=0x7E), "{byte}");
            }
        }
    }
}
