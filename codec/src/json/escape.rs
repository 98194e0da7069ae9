//! Escapes, in both directions.

use super::scan::next_stop;
use super::text::JsonFault;
pub(crate) use crate::vector::unescape::unescape;

/// The character of `uXXXX`, or of `uXXXX\uXXXX` for a surrogate pair, and its length in bytes.
pub(crate) fn unicode(escape: &[u8]) -> Result<(char, usize), JsonFault> {
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
                    for behind in [0, 1, 63, 64, 130] {
                        let (before, behind) = ("x".repeat(before), "é".repeat(behind));
                        let text = format!("{before}{first}{second}{behind}{first}");
                        let expected =
                            format!("{before}{first_text}{second_text}{behind}{first_text}");
                        assert_eq!(unescape(&text), Ok(expected), "{text}");
                    }
                }
            }
            let lone = format!("{}\\ud83d{}", "x".repeat(before), "y".repeat(130));
            assert_eq!(unescape(&lone), Err(JsonFault::LoneSurrogate));
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
