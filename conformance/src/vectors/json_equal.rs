//! Equality of JSON texts, with numbers compared as exact decimals.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Whether two texts are the same JSON value.
pub(crate) fn json_equal(left: &[u8], right: &[u8]) -> bool {
    let parse = |text| serde_json::from_slice::<&RawValue>(text).ok();
    match (parse(left), parse(right)) {
        (Some(left), Some(right)) => values_equal(left.get(), right.get()),
        _ => false,
    }
}

fn values_equal(left: &str, right: &str) -> bool {
    let kind = |text: &str| text.bytes().next().unwrap_or_default();
    match (kind(left), kind(right)) {
        (b'{', b'{') => {
            let object = |text| serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(text).ok();
            let (Some(left), Some(right)) = (object(left), object(right)) else {
                return false;
            };
            let mut pairs = left.values().zip(right.values());
            left.keys().eq(right.keys())
                && pairs.all(|(left, right)| values_equal(left.get(), right.get()))
        }
        (b'[', b'[') => {
            let list = |text| serde_json::from_str::<Vec<&RawValue>>(text).ok();
            let (Some(left), Some(right)) = (list(left), list(right)) else {
                return false;
            };
            let mut pairs = left.iter().zip(&right);
            left.len() == right.len()
                && pairs.all(|(left, right)| values_equal(left.get(), right.get()))
        }
        (b'"', b'"') => {
            let text = |text| serde_json::from_str::<String>(text).ok();
            // Half a surrogate pair is no text; such strings are equal as written.
            left == right || text(left).is_some_and(|left| Some(left) == text(right))
        }
        (b'-' | b'0'..=b'9', b'-' | b'0'..=b'9') => decimal(left) == decimal(right),
        _ => left == right,
    }
}

/// Sign, significant digits and the power of ten of the last of them.
fn decimal(number: &str) -> Option<(bool, String, i64)> {
    let (is_negative, number) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    let dropped = i64::try_from(digits.len() - significant.len()).ok()?;
    let power = exponent - i64::try_from(fraction.len()).ok()? + dropped;
    Some((is_negative, significant.to_owned(), power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimals_and_members_have_no_order() {
        for (left, right, expected) in [
            ("1.50", "15e-1", true),
            ("100", "1E2", true),
            ("-0", "0.0", true),
            ("12345678901234567890123", "12345678901234567890124", false),
            ("1", "-1", false),
            (
                r#"{"a":1,"b":[1,2]}"#,
                r#"{ "b" : [1.0,2], "\u0061":1 }"#,
                true,
            ),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            ("[1]", "[1,1]", false),
            (r#""\u0041""#, r#""A""#, true),
            ("true", "\"true\"", false),
            ("nul", "nul", false),
        ] {
            let equal = json_equal(left.as_bytes(), right.as_bytes());
            assert_eq!(equal, expected, "{left} {right}");
        }
    }
}
