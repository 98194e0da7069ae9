//! RFC 3986 syntax: checked, never normalised.

use iri_string::types::{UriAbsoluteStr, UriReferenceStr};

use super::attribute::AttributeType;
use crate::lanes::{Lanes, has_none};

/// Whether `text` is a `URI-reference`; the empty string is one.
#[inline]
pub(crate) fn is_uri_reference(text: &str) -> bool {
    is_usual(text.as_bytes(), AttributeType::UriReference) || UriReferenceStr::new(text).is_ok()
}

/// Whether `text` is an `absolute-URI`: a scheme, and no fragment.
#[inline]
pub(crate) fn is_absolute_uri(text: &str) -> bool {
    is_usual(text.as_bytes(), AttributeType::Uri) || UriAbsoluteStr::new(text).is_ok()
}

/// Whether `text` is surely a `Uri` or a `UriReference`, as most are: a scheme of letters or none, an authority without
/// user and port or none, and the usual characters.
#[inline]
pub(crate) fn is_usual(text: &[u8], ty: AttributeType) -> bool {
    let Some(start) = text.first_chunk() else {
        return false;
    };
    let first = Lanes::of(start);
    let colon = first.mask_of(b':').trailing_zeros();
    let has_scheme = matches!(colon, 1..16) && first.not_letters().trailing_zeros() == colon;
    let after_scheme = if has_scheme { colon as usize + 1 } else { 0 };
    let hier_part = text.get(after_scheme..).unwrap_or_default();
    let has_authority = hier_part.starts_with(b"//");
    if !has_scheme && (ty == AttributeType::Uri || has_authority || start[0] != b'/') {
        return false;
    }
    // Where there is an authority, a second colon may begin a port.
    has_none(text, Lanes::not_in_paths)
        && (!has_authority || has_none(hier_part, |lanes| lanes.mask_of(b':')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference_by_oracle(text: &str) -> bool {
        fluent_uri::UriRef::parse(text).is_ok()
    }

    fn absolute_by_oracle(text: &str) -> bool {
        fluent_uri::Uri::parse(text).is_ok_and(|uri| uri.fragment().is_none())
    }

    #[test]
    fn agrees_with_another_reading_of_the_grammar() {
        for text in [
            "",
            "#fragment",
            "/a",
            "a:b",
            "a/b:c",
            ":a",
            "1a:b",
            "a%20b",
            "a%2",
            "a%zz",
            "a b",
            "é",
            "//authority/path",
            "//u:p@h:1/x?y#z",
            "http://example.com:poort/",
            "http://h:",
            "///",
            "urn:nld:oin:00000001823288444000:systeem:BRP-component",
            "mailto:a@b",
            "http://a@b@c",
            "http://[::1]/",
            "http://[::1]x",
            "http://[1:2:3:4:5:6:7::]",
            "http://[::1",
            "http://[]",
            "http://[v1.a:b]",
            "http://[v.a]",
            "http://[v1.]",
            "http://[fe80::1%25eth0]/",
            "x:#a#b",
            "http://[::127.0.0.1]",
            "http://[::127.0.0.01]",
            "?a?b",
            "x:?a#",
            "a[b]",
            "x:[a]",
            "x:",
            "sixteen-and-more-without-a-colon",
            "abcdefghijklmnopqrstuvwxyz",
            "abcdefghijklmnop:rest",
            "https://example.nl/with:colon",
            "https://example.nl:8080/longer",
            "https://example.nl:port/longer",
            "https://user:word@example.nl/x",
            "/path/that/is:longer/than/one",
            "//authority.nl/path/to/it",
            "//authority.nl:80/path/to/it",
        ] {
            assert_eq!(is_uri_reference(text), reference_by_oracle(text), "{text}");
            assert_eq!(is_absolute_uri(text), absolute_by_oracle(text), "{text}");
        }
    }

    #[test]
    fn agrees_on_every_byte_in_a_long_path() {
        for byte in 0..0x80_u8 {
            for at in 5..40 {
                let mut text = "urn:a:0123456789abcdefABCDEF_:.,*+'()/&;=@~!$".to_owned();
                text.replace_range(at..=at, char::from(byte).encode_utf8(&mut [0; 4]));
                assert_eq!(
                    is_uri_reference(&text),
                    reference_by_oracle(&text),
                    "{text}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_on_any_text(text in "([a-zA-Z0-9+.-]{0,4}:)?(//)?[a-z0-9:@/?#\\[\\]%A-F!$ ~v.]{0,40}") {
            prop_assert_eq!(is_uri_reference(&text), reference_by_oracle(&text));
            prop_assert_eq!(is_absolute_uri(&text), absolute_by_oracle(&text));
        }
    }
}
