//! Percent-coding of header values (HTTP binding 1.0.2 section 3.1.3.2, NATS binding likewise).

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, utf8_percent_encode};
use smallvec::SmallVec;

use crate::json::utf8;
use crate::lanes::has_none;

/// Room for an encoded value; longer ones allocate.
pub(crate) type Buffer = SmallVec<[u8; 256]>;

/// Space, double quote, percent sign and everything outside U+0021 to U+007E.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%');

/// The encoded form of `text`: itself when nothing needs encoding, else in `buffer`.
#[inline]
pub(crate) fn encode<'t>(text: &'t str, buffer: &'t mut Buffer) -> &'t str {
    let is_clean = has_none(text.as_bytes(), |it| {
        it.not_printable() | it.mask_of(b' ') | it.mask_of(b'"') | it.mask_of(b'%')
    });
    if is_clean {
        return text;
    }
    buffer.clear();
    let pieces = utf8_percent_encode(text, ENCODED);
    pieces.for_each(|piece| buffer.extend_from_slice(piece.as_bytes()));
    utf8::text(buffer).expect("encoded text is ASCII")
}

/// Undoes what a sender did to a value: surrounding white space, then the quoting of older senders,
/// then one round of percent-coding. `None` when the result is not UTF-8.
///
/// A percent sign without two hexadecimal digits stays as it is: most senders mean it so.
#[inline]
pub(crate) fn decode(value: &[u8]) -> Option<Cow<'_, str>> {
    let value = trim(value);
    if !value.iter().any(|byte| matches!(byte, b'%' | b'"')) {
        return utf8::text(value).map(Cow::Borrowed);
    }
    let unquoted = unquote(value);
    let mut decoded = Vec::with_capacity(unquoted.len());
    decoded.extend(percent_decode(&unquoted));
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

/// The same without percent-decoding, for a value that its sender did not encode.
pub(crate) fn plain(value: &[u8]) -> Option<String> {
    String::from_utf8(unquote(trim(value)).into_owned()).ok()
}

/// Without surrounding spaces and tabs.
pub(crate) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// The content of a quoted string with its backslash escapes undone; anything else as it is.
fn unquote(value: &[u8]) -> Cow<'_, [u8]> {
    let [b'"', inside @ .., b'"'] = value else {
        return Cow::Borrowed(value);
    };
    let mut bytes = inside.iter();
    let mut unquoted = Vec::with_capacity(inside.len());
    while let Some(&byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(&escaped)) => {
                bytes.next();
                unquoted.push(escaped);
            }
            // The last quote is escaped, so nothing encloses the value.
            (b'\\', None) => return Cow::Borrowed(value),
            _ => unquoted.push(byte),
        }
    }
    Cow::Owned(unquoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_what_the_binding_lists() {
        for (text, expected) in [
            ("", ""),
            ("Euro € 😀", "Euro%20%E2%82%AC%20%F0%9F%98%80"),
            ("100% \"zeker\"", "100%25%20%22zeker%22"),
            (
                "a:b/c?d#e[f]@g!$&'()*+,;=|^`{}~\\<>",
                "a:b/c?d#e[f]@g!$&'()*+,;=|^`{}~\\<>",
            ),
            ("a%20b", "a%2520b"),
            ("\u{7f}\n", "%7F%0A"),
        ] {
            let mut buffer = Buffer::new();
            assert_eq!(encode(text, &mut buffer), expected);
            assert_eq!(decode(expected.as_bytes()).as_deref(), Some(text));
        }
    }

    #[test]
    fn clean_text_is_that_of_the_set() {
        for letter in '\0'..='\u{ff}' {
            let text = format!("a{letter}-longer-than-a-vector");
            let expected = utf8_percent_encode(&text, ENCODED).to_string();
            assert_eq!(encode(&text, &mut Buffer::new()), expected, "{letter:?}");
        }
    }

    #[test]
    fn decodes_once_and_leniently() {
        for (value, expected) in [
            ("%2541", Some("%41")),
            ("%e2%82%ac", Some("€")),
            ("%41%2D%7a", Some("A-z")),
            ("a+b", Some("a+b")),
            ("  x \t", Some("x")),
            ("100%", Some("100%")),
            ("%", Some("%")),
            ("%4", Some("%4")),
            ("%zz%41", Some("%zzA")),
            ("\"Euro \\\"5\\\"\"", Some("Euro \"5\"")),
            ("\"a%20b\\\\c\"", Some("a b\\c")),
            ("\"\"", Some("")),
            ("\"", Some("\"")),
            ("\"a\\\"", Some("\"a\\\"")),
            ("%22a%22", Some("\"a\"")),
            ("Súdwest", Some("Súdwest")),
            ("%C0%A0", None),
            ("%ED%A0%BD%ED%B8%80", None),
            ("%F4%90%80%80", None),
            ("%E2%82", None),
        ] {
            assert_eq!(decode(value.as_bytes()).as_deref(), expected, "{value}");
        }
        assert_eq!(decode(b"S\xFAdwest"), None);
    }
}
