//! `[route.source]` and `[route.sink]` where they name a Kafka connection.

use std::time::Duration;

use crate::config::{Fault, OnOffsetLost, Reported, Start, Table};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceSettings {
    pub(super) topic: String,
    pub(super) group: String,
    pub(super) start: Start,
    pub(super) on_offset_lost: OnOffsetLost,
    pub(super) drain: Duration,
    pub(super) commit_interval: Duration,
}

impl SourceSettings {
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "topic to read, one and no pattern";
        let topic = table.key("topic", meaning).must(is_topic).required();
        let meaning = "consumer group; what it committed is where the next start goes on";
        let group = table.key("group", meaning).must(is_group).required();
        let meaning = "where a partition starts in which the group has committed nothing: \
                       `earliest`, `latest` (what is written after the group began; partitions \
                       added later are read from their first record), or a time such as \
                       `2026-01-31T12:00:00Z` (the first record not older). It is committed before \
                       anything is read; see below";
        let start = table.key("start", meaning).or("earliest");
        let meaning = "what to do when the committed offset is no longer in the topic: `hold` \
                       (that partition is not read, an error is logged) or `earliest` (on from the \
                       oldest record)";
        let on_offset_lost = table.key("on_offset_lost", meaning).or("hold");
        let meaning = "longest wait for what is in flight when a partition moves to another \
                       process, which waits for it; below a minute. Below `exchange_timeout` of a \
                       webhook, `check-config` and the start warn";
        let drain = table.key("drain", meaning).must(below_a_minute).or("10s");
        let meaning = "how often a watermark that moved is committed; a crash repeats at most what \
                       flowed since; 24 h at most";
        let commit_interval = table.key("commit_interval", meaning);
        let commit_interval = commit_interval.must(is_commit_interval).or("100ms");
        Ok(Self {
            topic: topic?,
            group: group?,
            start: start?,
            on_offset_lost: on_offset_lost?,
            drain: drain?,
            commit_interval: commit_interval?,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SinkSettings {
    pub(super) topic: String,
    pub(super) message_timeout: Duration,
}

impl SinkSettings {
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "topic to write";
        let topic = table.key("topic", meaning).must(is_topic).required();
        let meaning = "longest wait until all in-sync replicas have an event, attempts of the \
                       client included; then it counts as not delivered and is retried";
        let message_timeout = table.key("message_timeout", meaning);
        let message_timeout = message_timeout.must(is_message_timeout).or("30s");
        Ok(Self {
            topic: topic?,
            message_timeout: message_timeout?,
        })
    }
}

fn below_a_minute(drain: &Duration) -> Result<(), Fault> {
    let what = "would keep the group waiting for a minute or more";
    Fault::unless(drain.as_secs() < 60, what, "write a shorter time")
}

fn is_commit_interval(interval: &Duration) -> Result<(), Fault> {
    let is_between = (1..=24 * 60 * 60 * 1000).contains(&interval.as_millis());
    let remedy = "write for example \"100ms\"";
    Fault::unless(is_between, "is not between 1 ms and 24 h", remedy)
}

fn is_message_timeout(timeout: &Duration) -> Result<(), Fault> {
    let is_between = i32::try_from(timeout.as_millis()).is_ok_and(|millis| millis > 0);
    let remedy = "write for example \"30s\"";
    Fault::unless(is_between, "is not between 1 ms and 24 days", remedy)
}

pub(super) fn is_topic(topic: &str) -> Result<(), Fault> {
    let is_topic = is_name(topic, NAME_MAX) && !matches!(topic, "." | "..");
    let remedy = "use 1 to 249 letters, digits, dots, underscores and hyphens";
    Fault::unless(is_topic, "is not a topic name", remedy)
}

fn is_group(group: &str) -> Result<(), Fault> {
    let is_group = !group.is_empty() && !group.contains('\0');
    let what = "is empty or holds a null character";
    Fault::unless(is_group, what, "write a name")
}

/// The longest topic name for Kafka, and the longest member name for its tools and other clients.
const NAME_MAX: usize = 249;

/// A member's name is made of `instance` and topic, which may be too long together.
pub(super) fn is_member(member: &str) -> Result<(), Fault> {
    let length = member.len();
    if length <= NAME_MAX {
        return Ok(());
    }
    let what = format!("makes a member of {length} characters with the `instance` before it");
    let remedy = "use 249 at most, the dot between them included: shorten `instance`";
    Err(Fault::new(what, remedy))
}

pub(super) fn is_name(name: &str, most: usize) -> bool {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=most).contains(&name.len()) && name.chars().all(is_legal)
}

#[cfg(test)]
impl SourceSettings {
    /// Settings with every default.
    pub(super) fn new(topic: &str, group: &str) -> Self {
        let json = serde_json::json!({ "topic": topic, "group": group }).to_string();
        crate::config::tests::read(&json, Self::read).expect("names")
    }
}

#[cfg(test)]
impl SinkSettings {
    /// Settings with every default.
    pub(super) fn new(topic: &str) -> Self {
        let json = serde_json::json!({ "topic": topic }).to_string();
        crate::config::tests::read(&json, Self::read).expect("a name")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::faults;

    #[test]
    fn values_that_cannot_work_are_reported() {
        for interval in ["9ns", "86401s"] {
            let json = format!(
                r#"{{ "topic": "^zaken.*", "group": "", "drain": "60s", "commit_interval": "{interval}" }}"#
            );
            let keys = faults(&json, SourceSettings::read);
            assert_eq!(keys, ["commit_interval", "drain", "group", "topic"]);
        }
        let json = r#"{ "topic": "", "message_timeout": "0s" }"#;
        assert_eq!(
            faults(json, SinkSettings::read),
            ["message_timeout", "topic"]
        );
    }
}
