//! The canonical strings of Booleans and Integers (CloudEvents 1.0.2, "Type System").

pub(crate) const fn boolean_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// The 32-bit number that `text` is the canonical string of. `-0` is not canonical.
pub(crate) fn integer(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_canonical = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !is_canonical {
        return None;
    }
    let magnitude = digits
        .iter()
        .fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    let is_negative = digits.len() != text.len();
    i32::try_from(if is_negative { -magnitude } else { magnitude }).ok()
}

/// The canonical string of an Integer, without an allocation.
pub(crate) struct Digits {
    bytes: [u8; 11],
    start: usize,
}

impl Digits {
    pub(crate) fn of(value: i32) -> Self {
        let mut digits = Self {
            bytes: [0; 11],
            start: 11,
        };
        let mut rest = value.unsigned_abs();
        loop {
            digits.push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            digits.push(b'-');
        }
        digits
    }

    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.bytes[self.start..]).expect("digits are ASCII")
    }
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
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for value in [0, 7, -7, 10, 999_999_999, i32::MAX, i32::MIN] {
            assert_eq!(Digits::of(value).text(), value.to_string());
        }
    }
}
