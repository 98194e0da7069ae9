//! DNS names.

use core::net::Ipv4Addr;

/// Whether a text is a DNS name: labels of letters, digits and inner hyphens, at most 63 characters
/// each and 253 together, and no address (RFC 1123, 2.1).
pub(crate) fn is_dns_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label) && text.parse::<Ipv4Addr>().is_err()
}

/// Whether a text is one label of such a name.
pub(crate) fn is_label(label: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=63).contains(&label.len())
        && label.bytes().all(is_inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_names_from_urls() {
        let long = "a".repeat(64);
        let fails = [
            "",
            "https://a.nl",
            "a.nl:443",
            "a.nl/",
            "a..nl",
            "-a.nl",
            "a-.nl",
            "*.a.nl",
            "a_b.nl",
            "é.nl",
            "192.0.2.1",
            &long,
        ];
        check(
            is_dns_name,
            &[
                "eventemitter.example.com",
                "A.nl",
                "a-b.nl",
                "localhost",
                "xn--a.nl",
                "1.2.3.nl",
            ],
            &fails,
        );
    }
}
