//! RFC 3986 syntax: checked, never normalised.

use core::net::Ipv6Addr;

use memchr::{memchr, memchr3};

use super::attribute::AttributeType;
use crate::lanes::{Lanes, has_none};

/// `unreserved` and `sub-delims`, which may stand in every part.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'&'..=b',' | b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b';' | b'='
        )
}

/// What else may stand in a path: the rest of `pchar`, and slashes.
const PATH: &[u8] = b":@/";

/// What else may stand in a query and a fragment.
const QUERY: &[u8] = b":@/?";

/// Whether `text` is a `URI-reference`; the empty string is one.
#[inline]
pub(crate) fn is_uri_reference(text: &str) -> bool {
    let bytes = text.as_bytes();
    if is_usual(bytes, AttributeType::UriReference) {
        return true;
    }
    let rest = match scheme_end(bytes) {
        Some(end) => check_rest(bytes, end + 1, true),
        // A colon in the first segment would have made it a scheme.
        None => run(bytes, 0, b"@")
            .filter(|&end| bytes.get(end) != Some(&b':'))
            .and_then(|_| check_rest(bytes, 0, true)),
    };
    rest.is_some()
}

/// Whether `text` is an `absolute-URI`: a scheme, and no fragment.
#[inline]
pub(crate) fn is_absolute_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    is_usual(bytes, AttributeType::Uri)
        || scheme_end(bytes).is_some_and(|end| check_rest(bytes, end + 1, false).is_some())
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

/// Where the colon after the scheme is.
fn scheme_end(bytes: &[u8]) -> Option<usize> {
    let end = memchr(b':', bytes)?;
    let (first, rest) = bytes[..end].split_first()?;
    let in_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    (first.is_ascii_alphabetic() && rest.iter().all(in_scheme)).then_some(end)
}

/// Everything after the scheme: authority, path, query and, where allowed, fragment.
fn check_rest(bytes: &[u8], at: usize, may_have_fragment: bool) -> Option<()> {
    let path = match bytes.get(at..) {
        Some([b'/', b'/', authority @ ..]) => {
            let length = memchr3(b'/', b'?', b'#', authority).unwrap_or(authority.len());
            check_authority(&authority[..length])?;
            at + 2 + length
        }
        _ => at,
    };
    let mut end = run(bytes, path, PATH)?;
    if bytes.get(end) == Some(&b'?') {
        end = run(bytes, end + 1, QUERY)?;
    }
    if may_have_fragment && bytes.get(end) == Some(&b'#') {
        end = run(bytes, end + 1, QUERY)?;
    }
    (end == bytes.len()).then_some(())
}

/// Walks over plain bytes, those `others` and percent-encoded octets (`pct-encoded`); `None` where one of these is broken.
#[inline(always)]
fn run(bytes: &[u8], mut at: usize, others: &[u8]) -> Option<usize> {
    while let Some(&byte) = bytes.get(at) {
        if is_plain(byte) || others.contains(&byte) {
            at += 1;
        } else if byte == b'%' {
            match bytes.get(at + 1..at + 3) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => at += 3,
                _ => return None,
            }
        } else {
            break;
        }
    }
    Some(at)
}

fn check_authority(authority: &[u8]) -> Option<()> {
    let host = match memchr(b'@', authority) {
        Some(at) if run(authority, 0, b":") == Some(at) => &authority[at + 1..],
        Some(_) => return None,
        None => authority,
    };
    let port = match host {
        [b'[', literal @ ..] => {
            let end = memchr(b']', literal).filter(|&end| is_ip_literal(&literal[..end]))?;
            &literal[end + 1..]
        }
        name => &name[run(name, 0, b"")?..],
    };
    let is_port = match port {
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => port.is_empty(),
    };
    is_port.then_some(())
}

fn is_ip_literal(literal: &[u8]) -> bool {
    match literal {
        [b'v' | b'V', future @ ..] => {
            let mut parts = future.splitn(2, |&byte| byte == b'.');
            let [version, address] = [parts.next(), parts.next()].map(Option::unwrap_or_default);
            !version.is_empty()
                && version.iter().all(u8::is_ascii_hexdigit)
                && !address.is_empty()
                && address.iter().all(|&byte| is_plain(byte) || byte == b':')
        }
        _ => str::from_utf8(literal).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok()),
    }
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
