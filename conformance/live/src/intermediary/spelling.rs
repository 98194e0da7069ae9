//! JSON and moments that mean the same and are spelled otherwise.

use cloudevents_nl_conformance::json::{self, Document, Text, Value};
use jiff::Timestamp;

/// Whether two JSON texts hold the same value: white space, the order of members, escapes and the spelling
/// of numbers aside. No number is rounded.
pub(crate) fn is_same_json(one: &[u8], other: &[u8]) -> bool {
    canonical(one).is_some_and(|one| canonical(other) == Some(one))
}

pub(crate) fn is_same_moment(one: &str, other: &str) -> bool {
    let moment = |text: &str| text.parse::<Timestamp>().ok();
    moment(one).is_some_and(|one| moment(other) == Some(one))
}

/// Whether a content type is `application/json`, which is UTF-8 without saying so.
pub(crate) fn is_plain_json(ty: &str) -> bool {
    let ty = ty.to_ascii_lowercase().replace([' ', '"'], "");
    ["application/json", "application/json;charset=utf-8"].contains(&&*ty)
}

/// The text, where a JSON text is a string.
pub(crate) fn text_in(json: &[u8]) -> Option<String> {
    match json::parse(json).ok()? {
        Document::Other(value) => Some(value.text()?.text.into_owned()),
        Document::Object(_) | Document::Array(_) => None,
    }
}

/// The value of a JSON text, whatever its spelling.
pub(crate) fn canonical(text: &[u8]) -> Option<String> {
    let of = |value: Value<'_>| canonical(value.raw.as_bytes()).unwrap_or_default();
    Some(match json::parse(text).ok()? {
        Document::Object(mut members) => {
            // Those of one name keep their order.
            members.sort_by(|one, other| one.name.cmp(&other.name));
            let members = members
                .iter()
                .map(|it| quoted(&it.name) + ":" + &of(it.value));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Document::Array(elements) => {
            let elements = elements.into_iter().map(of);
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        Document::Other(value) => match value.text() {
            Some(text) => quoted(&text),
            None => number(value.raw).unwrap_or_else(|| value.raw.to_owned()),
        },
    })
}

fn quoted(text: &Text<'_>) -> String {
    serde_json::Value::from(&*text.text).to_string()
}

/// Sign, digits without zeros around them, and the power of ten; `None` for what is no number.
fn number(raw: &str) -> Option<String> {
    let (mantissa, exponent) = raw.split_once(['e', 'E']).unwrap_or((raw, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !whole.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let places = fraction.len() as i64 - (digits.len() - significant.len()) as i64;
    let exponent = exponent.parse::<i64>().ok()?.checked_sub(places)?;
    match significant.trim_start_matches('0') {
        "" => Some(format!("{sign}0")),
        digits => Some(format!("{sign}{digits}e{exponent}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_is_the_same() {
        for (one, other) in [
            ("1.50", "1.5"),
            ("100", "1e2"),
            ("1e400", "10E399"),
            ("0.00", "0"),
            (r#"{"a":1,"b":[ ]}"#, r#"{ "b" : [], "a" : 1.0 }"#),
            (r#""\u00e9\/""#, "\"é/\""),
        ] {
            assert!(
                is_same_json(one.as_bytes(), other.as_bytes()),
                "{one} {other}"
            );
        }
        assert!(is_same_moment(
            "2026-11-21T10:00:00+01:00",
            "2026-11-21T09:00:00.000Z"
        ));
    }

    #[test]
    fn what_means_another_thing_is_not() {
        for (one, other) in [
            ("1.50", "1.51"),
            ("1e400", "null"),
            ("12345678901234567890123", "12345678901234567000000"),
            ("-0.0", "0"),
            ("\"1\"", "1"),
            ("[1,2]", "[2,1]"),
            ("[[1],2]", "[1,2]"),
            (r#"{"a":1}"#, r#"{"a":1,"a":1}"#),
            (r#""{\"a\":1}""#, r#"{"a":1}"#),
        ] {
            assert!(
                !is_same_json(one.as_bytes(), other.as_bytes()),
                "{one} {other}"
            );
        }
        assert!(!is_same_moment(
            "2026-11-21T10:00:00.1Z",
            "2026-11-21T10:00:00Z"
        ));
    }
}
