//! Base64 of RFC 4648 section 4, with padding.

use base64_simd::STANDARD;

/// The bytes that a text spells, `None` when it spells none.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode_to_vec(text).ok()
}

pub(crate) fn is_base64(text: &str) -> bool {
    STANDARD.check(text.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_alphabet_and_padding() {
        check(
            is_base64,
            &["", "YWFw", "YWE=", "YQ=="],
            &["YWE", "YWF-", "YW Fw", "YWFw\n", "=", "é"],
        );
        assert_eq!(decode("YWE=").as_deref(), Some(&b"aa"[..]));
    }
}
