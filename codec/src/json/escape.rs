//! Escapes, in both directions.

use super::scan::next_stop;
use super::text::JsonFault;
use crate::lanes::{BLOCK, block_mask};

/// Undoes the escapes of the inside of a string that the scanner has walked over.
///
/// # Errors
/// [`JsonFault::LoneSurrogate`]: the grammar has them, text does not.
pub(crate) fn unescape(text: &str) -> Result<String, JsonFault> {
    let bytes = text.as_bytes();
    // What comes out is never longer than what went in, so that its place is always free.
    let mut out = vec![0; bytes.len()];
    let (mut at, mut end) = (0, 0);
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        // The whole block is copied in any case: few runs are so long, and none so long that it would pay.
        if let Some(to) = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut) {
            *to = *block;
        }
        let escapes = block_mask(block, |lanes| lanes.places(b'\\'));
        if escapes == 0 {
            (at, end) = (at + BLOCK, end + BLOCK);
        } else {
            let run = escapes.trailing_zeros() as usize;
            (at, end) = unescape_one(bytes, at + run, &mut out, end + run)?;
        }
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            (at, end) = unescape_one(bytes, at, &mut out, end)?;
        } else {
            out[end] = byte;
            (at, end) = (at + 1, end + 1);
        }
    }
    out.truncate(end);
    String::from_utf8(out).map_err(|_| JsonFault::Escape)
}

/// Undoes the escape at `at`; returns where the text goes on, in both.
#[inline(always)]
fn unescape_one(
    bytes: &[u8],
    at: usize,
    out: &mut [u8],
    end: usize,
) -> Result<(usize, usize), JsonFault> {
    let byte = match bytes.get(at + 1) {
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => {
            let (character, length) = unicode(bytes.get(at + 1..).unwrap_or_default())?;
            let written = character.encode_utf8(&mut out[end..]).len();
            return Ok((at + 1 + length, end + written));
        }
        Some(itself) => *itself,
        None => return Err(JsonFault::Escape),
    };
    out[end] = byte;
    Ok((at + 2, end + 1))
}

/// The character of `uXXXX`, or of `uXXXX\uXXXX` for a surrogate pair, and its length in bytes.
fn unicode(escape: &[u8]) -> Result<(char, usize), JsonFault> {
    let first = hex4(escape.get(1..5)).ok_or(JsonFault::Escape)?;
    match first {
        0xD800..=0xDBFF => {
            let second = match escape.get(5..7) {
                Some(br"\u") => hex4(escape.get(7..11)).ok_or(JsonFault::Escape)?,
                _ => return Err(JsonFault::LoneSurrogate),
            };
            let low = second
                .checked_sub(0xDC00)
                .filter(|&low| low < 0x400)
                .ok_or(JsonFault::LoneSurrogate)?;
            let scalar = 0x1_0000 + ((first - 0xD800) << 10) + low;
            char::from_u32(scalar).map(|character| (character, 11))
        }
        _ => char::from_u32(first).map(|character| (character, 5)),
    }
    .ok_or(JsonFault::LoneSurrogate)
}

fn hex4(digits: Option<&[u8]>) -> Option<u32> {
    digits?.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    })
}

/// Appends `text` as a JSON string, quotes included.
#[inline]
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_inside(out, text);
    out.push(b'"');
}

/// Appends `text` as the inside of a JSON string.
#[inline]
pub(crate) fn write_inside(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let stop = next_stop(bytes, 0);
    if stop == bytes.len() {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(out, bytes, stop);
    }
}

/// Appends `bytes` with escapes, of which the first is at `stop`.
fn write_escaped(out: &mut Vec<u8>, bytes: &[u8], mut stop: usize) {
    let mut from = 0;
    loop {
        out.extend_from_slice(bytes.get(from..stop).unwrap_or_default());
        let Some(&byte) = bytes.get(stop) else {
            return;
        };
        write_escape(out, byte);
        from = stop + 1;
        stop = next_stop(bytes, from);
    }
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Length of [`write_string`]'s output.
pub(crate) fn string_len(text: &str) -> usize {
    let escapes: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | 0x08 | 0x0C | b'\n' | b'\r' | b'\t' => 1,
            0..0x20 => 5,
            _ => 0,
        })
        .sum();
    text.len() + escapes + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undoes_escapes() {
        for (text, expected) in [
            (r"", Ok("")),
            (r"a\u0062c\/d", Ok("abc/d")),
            (r"\\u0041", Ok(r"\u0041")),
            (r"\ud83d\uDE00!", Ok("😀!")),
            (r#"\"\b\f\n\r\t\\"#, Ok("\"\u{8}\u{c}\n\r\t\\")),
            (r"\u00e9é", Ok("éé")),
            (r"\ud83d", Err(JsonFault::LoneSurrogate)),
            (r"\ud83dx", Err(JsonFault::LoneSurrogate)),
            (r"\ud83d\u0041", Err(JsonFault::LoneSurrogate)),
            (r"\ude00\ud83d", Err(JsonFault::LoneSurrogate)),
        ] {
            assert_eq!(unescape(text).as_deref(), expected.as_deref(), "{text}");
        }
    }

    #[test]
    fn writes_what_it_can_read_back_and_knows_the_length() {
        let every: String = (0..0x80)
            .map(char::from)
            .chain("é😀\u{ffff}".chars())
            .collect();
        let mut out = Vec::new();
        write_string(&mut out, &every);
        assert_eq!(out.len(), string_len(&every));
        let read: String = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, every);
    }
}
