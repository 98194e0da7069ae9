use jiff::Timestamp;

use super::problem::{Fault, Reported};
use super::setting::{Setting, SettingValue};
use super::words::{Words, did_you_mean};

/// For a partition or stream without a committed position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    #[default]
    Earliest,
    /// Behind the newest message when the group or consumer begins; a partition that is added later is read
    /// from its first record.
    Latest,
    /// At the first message of this timestamp or a later one.
    Time(Timestamp),
}

impl Setting for Start {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let expected = "expected `earliest`, `latest` or a time such as 2026-01-31T12:00:00Z";
        match found.text(expected)?.as_str() {
            "earliest" => Ok(Self::Earliest),
            "latest" => Ok(Self::Latest),
            time => time.parse().map(Self::Time).map_err(|_| {
                let otherwise = || "correct the value".to_owned();
                let remedy = did_you_mean(time, ["earliest", "latest"], otherwise);
                found.report(Fault::new(expected, remedy))
            }),
        }
    }
}

/// When unread messages are no longer in the log or stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnOffsetLost {
    #[default]
    Hold,
    Earliest,
}

impl Words for OnOffsetLost {
    const WORDS: &'static [(&'static str, Self)] =
        &[("hold", Self::Hold), ("earliest", Self::Earliest)];
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::tests::{toml, value};

    #[test]
    fn start_is_a_word_or_a_time() {
        assert_eq!(value("latest"), Some(Start::Latest));
        assert_eq!(
            value("1970-01-01T00:00:01+01:00"),
            Some(Start::Time(Timestamp::from_second(-3599).unwrap()))
        );
        let date = toml("start = 1970-01-01T00:00:01Z", |table| {
            table.key("start", "").required()
        });
        assert_eq!(date, Ok(Start::Time(Timestamp::from_second(1).unwrap())));
        assert_eq!(value::<Start>("yesterday"), None);
        assert_eq!(value::<Start>("2026-01-31"), None);
    }
}
