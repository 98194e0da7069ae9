//! The canonical strings of Booleans and Integers (CloudEvents 1.0.2, "Type System").

use std::io::Write;

pub(crate) const fn boolean_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// The 32-bit number that `text` is the canonical string of. `-0` is not canonical.
pub(crate) fn integer(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = text == "0" || digits.starts_with(|first| matches!(first, '1'..='9'));
    text.parse().ok().filter(|_| is_canonical)
}

/// The canonical string of an Integer, in a buffer that holds the longest.
pub(crate) fn integer_text(value: i32, buffer: &mut [u8; 11]) -> &str {
    let mut free = &mut buffer[..];
    write!(free, "{value}").expect("a sign and ten digits are the most");
    let length = 11 - free.len();
    str::from_utf8(&buffer[..length]).expect("digits are ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_canonical_and_within_32_bits() {
        for (text, expected) in [
            ("0", Some(0)),
            ("5", Some(5)),
            ("-17", Some(-17)),
            ("2147483647", Some(i32::MAX)),
            ("-2147483648", Some(i32::MIN)),
            ("2147483648", None),
            ("-2147483649", None),
            ("99999999999999999999", None),
            ("-0", None),
            ("0083", None),
            ("+5", None),
            ("5.0", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for value in [0, 7, -7, 10, 999_999_999, i32::MAX, i32::MIN] {
            assert_eq!(integer_text(value, &mut [0; 11]), value.to_string());
        }
    }
}
