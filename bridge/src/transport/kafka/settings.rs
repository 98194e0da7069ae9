//! `[route.source]` and `[route.sink]` where they name a Kafka connection.

use std::time::Duration;

use serde::Deserialize;

use crate::interval::Interval;
use crate::transport::Start;
use crate::transport::setting::SettingProblem;

/// `[route.source]` with `kafka = …`: a consumer group over one topic.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// Topic to read. No default; patterns are not taken.
    pub topic: String,
    /// Consumer group; processes with the same group share the topic. No default.
    pub group: String,
    /// Where a partition starts in which the group has committed nothing: `earliest` (the default),
    /// `latest`, or a time as in RFC 3339. A time after the last record means the end as it was then.
    /// It is committed before anything is read.
    #[serde(default)]
    pub start: Start,
    /// What to do when the committed offset is no longer in the log: `hold` (the default) reads the
    /// partition no further and raises the alarm; `earliest` goes on at the oldest record.
    #[serde(default)]
    pub on_offset_lost: OnOffsetLost,
    /// How long what is in flight may take to finish when a partition moves to another process;
    /// others wait for it. Below a minute. Default 10 s.
    #[serde(default = "drain")]
    pub drain: Interval,
    /// How often a watermark that moved is committed, 1 ms to 24 h. Default 100 ms.
    #[serde(default = "commit_interval")]
    pub commit_interval: Interval,
}

fn drain() -> Interval {
    Interval::seconds(10)
}

fn commit_interval() -> Interval {
    Interval(Duration::from_millis(100))
}

/// The longest that librdkafka takes.
const MOST_COMMIT_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

impl SourceSettings {
    /// Settings with every default.
    #[must_use]
    pub fn new(topic: &str, group: &str) -> Self {
        Self {
            topic: topic.to_owned(),
            group: group.to_owned(),
            start: Start::default(),
            on_offset_lost: OnOffsetLost::default(),
            drain: drain(),
            commit_interval: commit_interval(),
        }
    }

    /// What is wrong with the values.
    #[must_use]
    pub fn problems(&self) -> Vec<SettingProblem> {
        let slow = (self.drain >= Interval::seconds(60)).then(|| {
            let what = "would keep the group waiting for a minute or more";
            SettingProblem::new("drain", what, "write a shorter time")
        });
        let millis = self.commit_interval.0.as_millis();
        let unfit = !(1..=MOST_COMMIT_INTERVAL.as_millis()).contains(&millis);
        let interval = unfit.then(|| {
            let what = "is not between 1 ms and 24 h";
            SettingProblem::new("commit_interval", what, "write for example \"100ms\"")
        });
        let problems = [
            topic_problem(&self.topic),
            name_problem("group", &self.group),
            interval,
            slow,
        ];
        problems.into_iter().flatten().collect()
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
    /// Topic to write. No default.
    pub topic: String,
    /// How long one event may take to be written, attempts of the client included. After it the
    /// event counts as not delivered. Default 30 s.
    #[serde(default = "message_timeout")]
    pub message_timeout: Interval,
}

fn message_timeout() -> Interval {
    Interval(crate::transport::EXCHANGE_TIMEOUT)
}

impl SinkSettings {
    /// Settings with every default.
    #[must_use]
    pub fn new(topic: &str) -> Self {
        Self {
            topic: topic.to_owned(),
            message_timeout: message_timeout(),
        }
    }

    /// What is wrong with the values.
    #[must_use]
    pub fn problems(&self) -> Vec<SettingProblem> {
        let millis = self.message_timeout.0.as_millis();
        let timeout = (millis == 0 || i32::try_from(millis).is_err()).then(|| {
            let what = "is not between 1 ms and 24 days";
            SettingProblem::new("message_timeout", what, "write for example \"30s\"")
        });
        topic_problem(&self.topic)
            .into_iter()
            .chain(timeout)
            .collect()
    }
}

pub(super) fn topic_problem(topic: &str) -> Option<SettingProblem> {
    (!is_name(topic, MOST_OF_A_NAME) || matches!(topic, "." | "..")).then(|| {
        let remedy = "use 1 to 249 letters, digits, dots, underscores and hyphens";
        SettingProblem::new("topic", "is not a topic name", remedy)
    })
}

/// So many characters does Kafka take in the name of a topic, and its tools and other clients in that
/// of a member.
const MOST_OF_A_NAME: usize = 249;

/// The name of a member is made of that of the process and that of the topic; together they may be too
/// long where each alone is not.
pub(super) fn member_problem(member: Option<&str>) -> Option<SettingProblem> {
    let length = member?.len();
    (length > MOST_OF_A_NAME).then(|| {
        let what = format!("makes a member of {length} characters with the `instance` before it");
        let remedy = "use 249 at most, the dot between them included: shorten `instance`";
        SettingProblem::new("topic", what, remedy)
    })
}

/// Whether Kafka takes it as the name of a topic or of a member, with `most` characters at most.
pub(super) fn is_name(name: &str, most: usize) -> bool {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=most).contains(&name.len()) && name.chars().all(is_legal)
}

fn name_problem(key: &str, name: &str) -> Option<SettingProblem> {
    (name.is_empty() || name.contains('\0'))
        .then(|| SettingProblem::new(key, "is empty or holds a null character", "write a name"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn what_is_left_out_has_its_default() {
        let json = r#"{ "topic": "zaken", "group": "g" }"#;
        let read: SourceSettings = serde_json::from_str(json).unwrap();
        assert_eq!(read, SourceSettings::new("zaken", "g"));
        assert_eq!(read.problems(), []);
        let json = r#"{ "topic": "zaken" }"#;
        let read: SinkSettings = serde_json::from_str(json).unwrap();
        assert_eq!(read, SinkSettings::new("zaken"));
        assert_eq!(read.problems(), []);
    }

    #[test]
    fn values_that_cannot_work_are_reported() {
        let mut settings = SourceSettings::new("^zaken.*", "");
        settings.drain = Interval::seconds(60);
        for wrong in [Duration::from_nanos(9), Duration::from_secs(86_401)] {
            settings.commit_interval = Interval(wrong);
            let keys: Vec<_> = settings.problems().into_iter().map(|p| p.key).collect();
            assert_eq!(keys, ["topic", "group", "commit_interval", "drain"]);
        }
        let sink = SinkSettings {
            message_timeout: Interval::seconds(0),
            ..SinkSettings::new("")
        };
        let keys: Vec<_> = sink.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["topic", "message_timeout"]);
    }
}
