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
/// About a century: no clock overflows by it, nor by some of them together.
const LONGEST: Duration = Duration::from_secs(36_500 * 86_400);
const TOO_LONG: &str = "expected a span of time of at most 36500d";

/// The longest unit is the day, of 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval(pub Duration);

impl FromStr for Interval {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        static PARSER: SpanParser = SpanParser::new();
        let in_days = || {
            let span = PARSER.parse_span(text).ok()?;
            let length = span.to_duration(SpanRelativeTo::days_are_24_hours());
            length.ok()?.try_into().ok()
        };
        match PARSER.parse_unsigned_duration(text).ok().or_else(in_days) {
            Some(length) if length > LONGEST => Err(TOO_LONG),
            Some(length) => Ok(Self(length)),
            None => Err(EXPECTED),
        }
    }
}

impl Setting for Duration {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let text: String = found.parse(EXPECTED)?;
        let parsed = text.parse::<Interval>();
        let parsed = parsed.map_err(|expected| found.expected(expected));
        parsed.map(|interval| interval.0)
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": r"^([0-9]|\$\{.+\}$)" })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::Table;
    use crate::config::tests::toml as read_toml;

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
            assert_eq!(text.parse::<Interval>(), Err(EXPECTED), "{text}");
        }
    }

    #[test]
    fn a_span_that_no_clock_counts_is_refused_where_it_stands() {
        for text in ["36501d", "876001h", "999999d", "9999999999s"] {
            assert_eq!(text.parse::<Interval>(), Err(TOO_LONG), "{text}");
        }
        for text in ["999999999999d", "18446744073709551615s", "9e99h"] {
            assert!(text.parse::<Interval>().is_err(), "{text}");
        }
        assert_eq!("36500d".parse(), Ok(Interval(LONGEST)));
        let read = |table: &Table<'_>| table.key::<Duration>("wait", "").required();
        let problems = read_toml("wait = \"36501d\"", read).unwrap_err();
        let [problem] = &problems[..] else {
            panic!("{problems:?}")
        };
        assert_eq!((&*problem.key, &*problem.what), ("wait", TOO_LONG));
        assert_eq!(problem.origin, "test:1");
    }
}
