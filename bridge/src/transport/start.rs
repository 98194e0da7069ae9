//! Where a source begins that has committed nothing yet.

use jiff::Timestamp;
use serde::Deserialize;

/// Where a partition or stream starts in which nothing was committed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub enum Start {
    /// At the oldest message.
    #[default]
    Earliest,
    /// Behind the newest message, as it is when the group or consumer begins; a partition that is
    /// added later is read from its first record.
    Latest,
    /// At the first message whose timestamp is not before this one.
    Time(Timestamp),
}

impl TryFrom<String> for Start {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "earliest" => Ok(Self::Earliest),
            "latest" => Ok(Self::Latest),
            time => time.parse().map(Self::Time).map_err(|_| {
                "expected `earliest`, `latest` or a time such as 2026-01-31T12:00:00Z".to_owned()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn start_is_a_word_or_a_time() {
        let start = |text: &str| Start::try_from(text.to_owned());
        assert_eq!(start("latest"), Ok(Start::Latest));
        assert_eq!(
            start("1970-01-01T00:00:01+01:00"),
            Ok(Start::Time(Timestamp::from_second(-3599).unwrap()))
        );
        assert!(start("yesterday").is_err());
        assert!(start("2026-01-31").is_err());
    }
}
