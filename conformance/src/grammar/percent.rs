//! Percent-coding of header values on HTTP and NATS.

use std::borrow::Cow;

/// A value decoded: white space around it, the quoting of older senders, then one round of
/// percent-decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'v> {
    /// The bytes that come out; whether they are UTF-8 is not looked at.
    pub(crate) bytes: Cow<'v, [u8]>,
    /// Whether the value was enclosed in double quotes.
    pub(crate) is_quoted: bool,
    /// Whether a percent sign stood without two hexadecimal digits; it stays as it is.
    pub(crate) has_stray: bool,
    /// Whether a triplet was in lower case.
    pub(crate) has_lower_case: bool,
}

/// Decodes a value.
pub(crate) fn decode(value: &[u8]) -> Decoded<'_> {
    let value = trim(value);
    let unquoted = unquote(value);
    let mut decoded = Decoded {
        is_quoted: unquoted.is_some(),
        bytes: unquoted.map_or(Cow::Borrowed(value), Cow::Owned),
        has_stray: false,
        has_lower_case: false,
    };
    if decoded.bytes.contains(&b'%') {
        let source = std::mem::take(&mut decoded.bytes);
        let mut rest = &*source;
        let mut out = Vec::with_capacity(rest.len());
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match after {
                [high, low, after @ ..]
                    if byte == b'%' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
                {
                    out.push(nibble(*high) * 16 + nibble(*low));
                    decoded.has_lower_case |= high.is_ascii_lowercase() || low.is_ascii_lowercase();
                    rest = after;
                }
                _ => {
                    out.push(byte);
                    decoded.has_stray |= byte == b'%';
                }
            }
        }
        decoded.bytes = Cow::Owned(out);
    }
    decoded
}

/// Whether a byte may stand in an encoded value: `!` to `~`, without `"`; `%` begins a triplet.
pub(crate) fn is_literal(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'"'
}

/// Without spaces and tabs at both ends.
pub(crate) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit.to_ascii_lowercase() - b'a' + 10,
    }
}

/// What a quoted string holds, `None` when quotes do not enclose the value.
fn unquote(value: &[u8]) -> Option<Vec<u8>> {
    let inside = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut unquoted = Vec::with_capacity(inside.len());
    let mut is_escaped = false;
    for &byte in inside {
        if byte == b'\\' && !is_escaped {
            is_escaped = true;
        } else {
            unquoted.push(byte);
            is_escaped = false;
        }
    }
    // The closing quote was escaped, so it closes nothing.
    (!is_escaped).then_some(unquoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once_and_tells_what_it_met() {
        for (value, bytes, is_quoted, has_stray, has_lower_case) in [
            ("a", &b"a"[..], false, false, false),
            ("%2541", b"%41", false, false, false),
            ("%e2%82%ac", b"\xe2\x82\xac", false, false, true),
            ("  x \t", b"x", false, false, false),
            ("100%", b"100%", false, true, false),
            ("%4z%41", b"%4zA", false, true, false),
            (
                "\"Euro \\\"5\\\" %41\"",
                b"Euro \"5\" A",
                true,
                false,
                false,
            ),
            ("\"a\\\"", b"\"a\\\"", false, false, false),
            ("\"", b"\"", false, false, false),
            ("\"\"", b"", true, false, false),
            ("%C0%A0", b"\xC0\xA0", false, false, false),
            ("a+b", b"a+b", false, false, false),
        ] {
            let expected = Decoded {
                bytes: Cow::Borrowed(bytes),
                is_quoted,
                has_stray,
                has_lower_case,
            };
            assert_eq!(decode(value.as_bytes()), expected, "{value}");
        }
    }
}
