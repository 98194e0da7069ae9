//! Rates of the webhook specification, in requests per minute.

/// Whether a text is a whole number above zero, of any size, in decimal digits.
pub(crate) fn is_rate(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0')
}

/// Whether it is one that a receiver allows: that, or `*` for any (Web Hooks 1.0.2, section 4.2.2).
pub fn is_allowed_rate(text: &str) -> bool {
    text == "*" || is_rate(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_whole_numbers_above_zero() {
        let passes = ["1", "120", "010", "99999999999999999999"];
        check(
            is_rate,
            &passes,
            &["", "0", "00", "-1", "+1", "1.5", "1e3", "*", "120/min", "٥"],
        );
    }
}
