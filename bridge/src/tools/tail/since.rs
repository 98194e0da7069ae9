//! `--since`: a span back from now, or a moment.

use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;

use crate::config::Interval;

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    Earliest,
    Ago(Duration),
    At(Timestamp),
}

impl Since {
    /// The moment it means; `None` is before everything.
    pub(super) fn moment(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Earliest => None,
            Self::Ago(span) => now.checked_sub(span).ok(),
            Self::At(time) => Some(time),
        }
    }
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "earliest" {
            return Ok(Self::Earliest);
        }
        if let Ok(time) = text.parse() {
            return Ok(Self::At(time));
        }
        let span = text.parse::<Interval>();
        span.map(|span| Self::Ago(span.0)).map_err(|_| {
            "expected a span such as 10m or 24h, a time such as 2026-01-31T12:00:00Z, or earliest"
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn is_a_span_a_time_or_the_beginning() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let moment = |text: &str| text.parse::<Since>().unwrap().moment(now);
        for text in ["10m", "2026-01-31T11:50:00Z", "2026-01-31T12:50:00+01:00"] {
            assert_eq!(moment(text), "2026-01-31T11:50:00Z".parse().ok(), "{text}");
        }
        assert_eq!(moment("earliest"), None);
        assert_eq!(moment("1000000000h"), None, "before all calendars");
        for text in ["", "10", "yesterday", "2026-01-31", "-10m"] {
            assert!(text.parse::<Since>().is_err(), "{text}");
        }
    }
}
