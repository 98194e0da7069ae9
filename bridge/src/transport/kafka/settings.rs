//! `[route.source]` and `[route.sink]` where they name a Kafka connection.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use crate::delivery::window::Capacity;

/// `[route.source]` with `kafka = …`: a consumer group over one topic.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// Name of the connection. No default.
    pub kafka: String,
    /// Topic to read. No default; patterns are not taken.
    pub topic: String,
    /// Consumer group; processes with the same group share the topic. No default.
    pub group: String,
    /// Where a partition starts in which the group has committed nothing: `earliest` (the default),
    /// `latest`, or a time as in RFC 3339. A time after the last record means the end as it was then.
    #[serde(default)]
    pub start: Start,
    /// What to do when the committed offset is no longer in the log: `hold` (the default) reads the
    /// partition no further and raises the alarm; `earliest` goes on at the oldest record.
    #[serde(default)]
    pub on_offset_lost: OnOffsetLost,
    /// Most events per partition above the committed watermark. Default 1000: with 64 requests in
    /// flight and order by key it leaves room for fifteen records behind each of them, and it
    /// bounds what a crash repeats.
    #[serde(default = "window_events")]
    pub window_events: usize,
    /// Most bytes per partition above the committed watermark; as much again may wait in the
    /// client's own queue. Default 8388608 (8 MiB): 128 events of the largest size of the NL GOV
    /// profile, so that 64 requests stay busy on a single partition.
    #[serde(default = "window_bytes")]
    pub window_bytes: usize,
    /// How long, in milliseconds, what is in flight may take to finish when a partition moves to
    /// another process; others wait for it. Below the session timeout. Default 10000.
    #[serde(default = "drain_ms")]
    pub drain_ms: u64,
    /// How often, in milliseconds, a watermark that moved is committed. Default 100.
    #[serde(default = "commit_interval_ms")]
    pub commit_interval_ms: u64,
}

fn window_events() -> usize {
    1000
}

fn window_bytes() -> usize {
    8 << 20
}

fn drain_ms() -> u64 {
    10_000
}

fn commit_interval_ms() -> u64 {
    100
}

impl SourceSettings {
    /// Settings with every default.
    #[must_use]
    pub fn new(kafka: &str, topic: &str, group: &str) -> Self {
        Self {
            kafka: kafka.to_owned(),
            topic: topic.to_owned(),
            group: group.to_owned(),
            start: Start::default(),
            on_offset_lost: OnOffsetLost::default(),
            window_events: window_events(),
            window_bytes: window_bytes(),
            drain_ms: drain_ms(),
            commit_interval_ms: commit_interval_ms(),
        }
    }

    /// What is wrong with the values, as key, problem and remedy.
    #[must_use]
    pub fn problems(&self) -> Vec<super::Problem> {
        let zero = |key: &str, is_zero: bool| {
            is_zero.then(|| problem(key, "is zero", "write a number above zero"))
        };
        let session = || {
            let text = "is not below the default session timeout of 45000 ms";
            problem("drain_ms", text, "write a smaller number")
        };
        [
            topic_problem(&self.topic),
            name_problem("group", &self.group),
            zero("window_events", self.window_events == 0),
            zero("window_bytes", self.window_bytes == 0),
            zero("commit_interval_ms", self.commit_interval_ms == 0),
            (self.drain_ms >= 45_000).then(session),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    pub(super) fn capacity(&self) -> Capacity {
        Capacity {
            events: self.window_events,
            bytes: self.window_bytes,
        }
    }

    pub(super) fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }
}

/// Where a partition starts in which the group has committed nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub enum Start {
    /// At the oldest record.
    #[default]
    Earliest,
    /// Behind the newest record.
    Latest,
    /// At the first record whose timestamp is not before this one.
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

/// What to do when the committed offset is no longer in the log.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum OnOffsetLost {
    /// Read the partition no further and raise the alarm.
    #[default]
    Hold,
    /// Go on at the oldest record.
    Earliest,
}

/// `[route.sink]` or `[route.dead_letter]` with `kafka = …`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SinkSettings {
    /// Name of the connection. No default.
    pub kafka: String,
    /// Topic to write. No default.
    pub topic: String,
    /// How long, in milliseconds, one event may take to be written, attempts of the client
    /// included. After it the event counts as not delivered. Default 30000.
    #[serde(default = "message_timeout_ms")]
    pub message_timeout_ms: u64,
}

fn message_timeout_ms() -> u64 {
    u64::try_from(crate::transport::EXCHANGE_TIMEOUT.as_millis()).unwrap_or(u64::MAX)
}

impl SinkSettings {
    /// Settings with every default.
    #[must_use]
    pub fn new(kafka: &str, topic: &str) -> Self {
        Self {
            kafka: kafka.to_owned(),
            topic: topic.to_owned(),
            message_timeout_ms: message_timeout_ms(),
        }
    }

    /// What is wrong with the values, as key, problem and remedy.
    #[must_use]
    pub fn problems(&self) -> Vec<super::Problem> {
        let timeout = (!(1..=i32::MAX as u64).contains(&self.message_timeout_ms)).then(|| {
            let text = "is not between 1 and 2147483647";
            problem("message_timeout_ms", text, "write for example 30000")
        });
        topic_problem(&self.topic)
            .into_iter()
            .chain(timeout)
            .collect()
    }
}

fn problem(key: &str, problem: &str, remedy: &str) -> super::Problem {
    super::Problem {
        key: key.to_owned(),
        problem: problem.to_owned(),
        remedy: remedy.to_owned(),
    }
}

fn topic_problem(topic: &str) -> Option<super::Problem> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let legal = matches!(topic.len(), 1..=249) && topic.chars().all(is_legal);
    (!legal || matches!(topic, "." | "..")).then(|| {
        let remedy = "use 1 to 249 letters, digits, dots, underscores and hyphens";
        problem("topic", "is not a topic name", remedy)
    })
}

fn name_problem(key: &str, name: &str) -> Option<super::Problem> {
    (name.is_empty() || name.contains('\0'))
        .then(|| problem(key, "is empty or holds a null character", "write a name"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn what_is_left_out_has_its_default() {
        let json = r#"{ "kafka": "main", "topic": "zaken", "group": "g" }"#;
        let read: SourceSettings = serde_json::from_str(json).unwrap();
        assert_eq!(read, SourceSettings::new("main", "zaken", "g"));
        assert_eq!(read.problems(), []);
        let json = r#"{ "kafka": "main", "topic": "zaken" }"#;
        let read: SinkSettings = serde_json::from_str(json).unwrap();
        assert_eq!(read, SinkSettings::new("main", "zaken"));
        assert_eq!(read.problems(), []);
    }

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

    #[test]
    fn values_that_cannot_work_are_reported() {
        let mut settings = SourceSettings::new("main", "^zaken.*", "");
        settings.window_events = 0;
        settings.drain_ms = 60_000;
        let keys: Vec<_> = settings.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["topic", "group", "window_events", "drain_ms"]);
        let sink = SinkSettings {
            message_timeout_ms: 0,
            ..SinkSettings::new("main", "")
        };
        let keys: Vec<_> = sink.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["topic", "message_timeout_ms"]);
    }
}
