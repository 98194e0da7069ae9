//! RFC 3986, as `fluent-uri` reads it.

use fluent_uri::{Uri, UriRef};

/// Whether a text is an `absolute-URI`: a scheme, and no fragment.
pub(crate) fn is_absolute_uri(text: &str) -> bool {
    Uri::parse(text).is_ok_and(|uri| !uri.has_fragment())
}

/// Whether a text is a `URI-reference`; the empty one is.
pub(crate) fn is_uri_reference(text: &str) -> bool {
    UriRef::parse(text).is_ok()
}

/// Whether a URI-reference has a scheme.
pub(crate) fn has_scheme(text: &str) -> bool {
    Uri::parse(text).is_ok()
}

/// Whether a text is a URL with scheme `https` and a host.
pub(crate) fn is_https_url(text: &str) -> bool {
    Uri::parse(text).is_ok_and(|uri| {
        let is_https = uri.scheme().as_str().eq_ignore_ascii_case("https");
        let host = uri.authority().map(|authority| authority.host());
        is_https && host.is_some_and(|host| !host.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_references_and_absolute_uris() {
        let both = [
            "urn:nld:a.b",
            "https://a.nl/b?c=d",
            "https:www.vng.nl/x",
            "a:",
            "http://[::1]:80/",
        ];
        let references = [
            "",
            "/a",
            "//a/b",
            "a",
            "#f",
            "1-555-123-4567",
            "?q",
            "a/b:c",
            "http://a#f",
        ];
        let neither = ["a b", "é", "1:2", "a%2", "http://a:port/", "[a]", "\n"];
        check(
            is_uri_reference,
            &[&both[..], &references[..]].concat(),
            &neither,
        );
        check(
            is_absolute_uri,
            &both,
            &[&references[..], &neither[..]].concat(),
        );
        check(has_scheme, &["http://a#f", "urn:nld:a"], &["/a", "a", ""]);
        check(
            is_https_url,
            &["https://a.nl/b?c=d", "HTTPS://a"],
            &[
                "http://a",
                "https:a",
                "https://",
                "//a",
                "https://a b",
                "a",
                "",
            ],
        );
    }
}
