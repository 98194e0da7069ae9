//! A span of time as settings write it: a number with a unit, `"500ms"`, `"30s"`, `"24h"`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::fmt::friendly::SpanParser;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A [`Duration`] that reads from text such as `"1m 30s"`; the longest unit is the hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval(pub Duration);

impl Interval {
    /// An interval of whole seconds.
    #[must_use]
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// What a span of time looks like.
const EXPECTED: &str = r#"a span of time with its unit, such as "500ms", "30s", "5m" or "24h""#;

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        static PARSER: SpanParser = SpanParser::new();
        let span = PARSER.parse_unsigned_duration(text);
        span.map(Self).map_err(|_| format!("expected {EXPECTED}"))
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntervalVisitor)
    }
}

struct IntervalVisitor;

impl Visitor<'_> for IntervalVisitor {
    type Value = Interval;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Interval, E> {
        text.parse()
            .map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    fn read(text: &str) -> Result<Duration, Error> {
        let text: StrDeserializer<'_, Error> = text.into_deserializer();
        Interval::deserialize(text).map(|interval| interval.0)
    }

    #[test]
    fn a_number_needs_a_unit() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("0.5s", 500),
            ("30s", 30_000),
            ("1m 30s", 90_000),
            ("24h", 86_400_000),
            ("0s", 0),
        ] {
            assert_eq!(
                read(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in ["", "30", "-1s", "1 fortnight", "1d"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
