//! A span of time: a number with a unit, `"500ms"`, `"30s"`, `"24h"`.

use std::str::FromStr;
use std::time::Duration;

use jiff::SpanRelativeTo;
use jiff::fmt::friendly::SpanParser;
use serde_json::{Value as Json, json};

use super::problem::Reported;
use super::setting::{Setting, SettingValue};

const EXPECTED: &str =
    r#"expected a span of time with its unit, such as "500ms", "30s", "5m", "24h" or "7d""#;

/// The longest unit is the day, of 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval(pub Duration);

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        static PARSER: SpanParser = SpanParser::new();
        let in_days = || {
            let span = PARSER.parse_span(text).ok()?;
            let length = span.to_duration(SpanRelativeTo::days_are_24_hours());
            length.ok()?.try_into().ok()
        };
        let length = PARSER.parse_unsigned_duration(text).ok().or_else(in_days);
        length.map(Self).ok_or_else(|| EXPECTED.to_owned())
    }
}

impl Setting for Duration {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse(EXPECTED).map(|interval: Interval| interval.0)
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": r"^([0-9]|\$\{.+\}$)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_needs_a_unit() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("0.5s", 500),
            ("30s", 30_000),
            ("1m 30s", 90_000),
            ("24h", 86_400_000),
            ("7d", 604_800_000),
            ("0s", 0),
        ] {
            let expected = Interval(Duration::from_millis(milliseconds));
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in ["", "30", "-1s", "1 fortnight", "1 month"] {
            assert!(text.parse::<Interval>().is_err(), "{text}");
        }
    }
}
