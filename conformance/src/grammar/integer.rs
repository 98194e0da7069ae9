//! Integers of the type system: 32 bits, in one spelling.

/// Whether a text is `0`, or digits that do not begin with 0, a minus sign before them or not.
pub(crate) fn is_canonical(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_zero = text == "0";
    is_zero
        || !digits.is_empty()
            && !digits.starts_with('0')
            && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The number that a text in that spelling is, `None` when it is none or has more than 32 bits.
pub(crate) fn parse(text: &str) -> Option<i32> {
    is_canonical(text).then(|| text.parse().ok()).flatten()
}

/// As [`parse`], with zeros before the digits or without.
pub(crate) fn parse_padded(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_the_one_spelling() {
        let passes = ["0", "7", "-7", "2147483648", "-2147483649"];
        check(
            is_canonical,
            &passes,
            &["", "-", "-0", "+5", "05", "5.0", "1e3", " 5", "٥"],
        );
    }

    #[test]
    fn knows_both_ends_of_the_range() {
        assert_eq!(parse("2147483647"), Some(i32::MAX));
        assert_eq!(parse("-2147483648"), Some(i32::MIN));
        assert_eq!(parse("2147483648"), None);
        assert_eq!(parse("-2147483649"), None);
    }

    #[test]
    fn knows_padded_ones() {
        for (text, expected) in [
            ("0007", Some(7)),
            ("-0007", Some(-7)),
            ("00002147483647", Some(i32::MAX)),
            ("2147483648", None),
            ("+7", None),
            ("-+7", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(parse_padded(text), expected, "{text}");
        }
    }
}
