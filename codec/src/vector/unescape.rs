//! Undoes escapes, a block at a time.

use std::borrow::Cow;

use super::VectorLoops;
use crate::error::json::{JsonError, JsonFault};
use crate::lanes::{BLOCK, block_mask};
use crate::tokens::unicode;

const WINDOW: usize = 2 * BLOCK;

/// What a byte after a backslash stands for; none for `u` and for what JSON does not escape.
pub(super) const UNESCAPED: [u8; 256] = {
    let mut bytes = [0; 256];
    bytes[b'"' as usize] = b'"';
    bytes[b'\\' as usize] = b'\\';
    bytes[b'/' as usize] = b'/';
    bytes[b'b' as usize] = 8;
    bytes[b'f' as usize] = 12;
    bytes[b'n' as usize] = b'\n';
    bytes[b'r' as usize] = b'\r';
    bytes[b't' as usize] = b'\t';
    bytes
};

/// Undoes the escapes of the inside of a string that the scanner has walked over.
///
/// # Errors
/// [`JsonFault::LoneSurrogate`] at its escape: the grammar has them, text does not.
pub(crate) fn unescape(loops: Option<VectorLoops>, text: &str) -> Result<Cow<'_, str>, JsonError> {
    if text.contains('\\') {
        undo_all(loops, text).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(text))
    }
}

fn undo_all(loops: Option<VectorLoops>, text: &str) -> Result<String, JsonError> {
    let bytes = text.as_bytes();
    // What comes out is never longer than what went in, so that its place is always free.
    let mut out = vec![0; bytes.len()];
    let (mut at, mut end) = (0, 0);
    // Two blocks are left, so that a copy of one may begin anywhere in the first.
    loop {
        if let Some(loops) = loops {
            let (read, written) = loops.unescape(&bytes[at..], &mut out[end..]);
            (at, end) = (at + read, end + written);
        }
        let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<WINDOW>) else {
            break;
        };
        let block = window.first_chunk().expect("half of the window");
        let mut escapes = block_mask(block, |lanes| lanes.mask_of(b'\\'));
        let next = at + BLOCK;
        let mut from = at;
        while escapes != 0 {
            let escape = at + escapes.trailing_zeros() as usize;
            copy_block(bytes, from, &mut out, end);
            (from, end) = undo(bytes, escape, &mut out, end + escape - from)?;
            if from >= next {
                break;
            }
            escapes &= u64::MAX << (from - at);
        }
        if from < next {
            copy_block(bytes, from, &mut out, end);
            end += next - from;
        }
        at = from.max(next);
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            (at, end) = undo(bytes, at, &mut out, end)?;
        } else {
            out[end] = byte;
            (at, end) = (at + 1, end + 1);
        }
    }
    out.truncate(end);
    // SAFETY: between backslashes lie whole characters of `text`, which are copied as they are, here and by
    // `loops`; for an escape one ASCII byte was written, or a character as `encode_utf8` writes it.
    Ok(unsafe { String::from_utf8_unchecked(out) })
}

/// Copies a whole block, of which only the first bytes are wanted: a copy of varying length is slower.
#[inline(always)]
fn copy_block(bytes: &[u8], from: usize, out: &mut [u8], end: usize) {
    const ROOM: &str = "less is written than read, and a window was left to read";
    let block: &[u8; BLOCK] = bytes[from..].first_chunk().expect(ROOM);
    *out[end..].first_chunk_mut().expect(ROOM) = *block;
}

/// Undoes the escape at `at`; returns where the text goes on, in both.
#[inline(always)]
fn undo(bytes: &[u8], at: usize, out: &mut [u8], end: usize) -> Result<(usize, usize), JsonError> {
    let escaped = bytes.get(at + 1).copied().unwrap_or_default();
    let byte = UNESCAPED[usize::from(escaped)];
    if byte != 0 {
        out[end] = byte;
        return Ok((at + 2, end + 1));
    }
    let refused = |fault| JsonError::new(fault, at);
    if escaped != b'u' {
        return Err(refused(JsonFault::Escape));
    }
    let character = unicode(bytes.get(at + 1..).unwrap_or_default());
    let (character, length) = character.map_err(refused)?;
    let written = character.encode_utf8(&mut out[end..]).len();
    Ok((at + 1 + length, end + written))
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
            (r"\ud83d", Err(0)),
            (r"\ud83dx", Err(0)),
            (r"\ud83d\u0041", Err(0)),
            (r"\ude00\ud83d", Err(0)),
            (r"é\n\ud83d", Err(4)),
        ] {
            let expected = expected.map_err(|at| JsonError::new(JsonFault::LoneSurrogate, at));
            assert_eq!(
                unescape(None, text).as_deref(),
                expected.as_deref(),
                "{text}"
            );
        }
    }

    #[test]
    fn undoes_escapes_wherever_they_lie_in_a_block() {
        let pieces = [
            (r"\n", "\n"),
            (r"\\", r"\"),
            (r#"\\\""#, "\\\""),
            (r"\u00e9", "é"),
            (r"\ud83d\uDE00", "😀"),
            (r"\\\\\\u", r"\\\u"),
            ("é", "é"),
        ];
        for before in 0..140 {
            for (first, first_text) in pieces {
                for (second, second_text) in pieces {
                    for after in [0, 1, 63, 64, 130] {
                        let (before, after) = ("x".repeat(before), "é".repeat(after));
                        let text = format!("{before}{first}{second}{after}{first}");
                        let expected =
                            format!("{before}{first_text}{second_text}{after}{first_text}");
                        assert_eq!(unescape(None, &text).as_deref(), Ok(&*expected), "{text}");
                    }
                }
            }
            let lone = format!("{}\\ud83d{}", "x".repeat(before), "y".repeat(130));
            let expected = JsonError::new(JsonFault::LoneSurrogate, before);
            assert_eq!(unescape(None, &lone), Err(expected));
        }
    }
}
