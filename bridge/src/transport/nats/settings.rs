//! `[route.source]` where it names a NATS connection: a JetStream consumer, or a core subject.

use std::time::Duration;

use serde::Deserialize;

use super::subject;
use crate::interval::Interval;
use crate::transport::Start;
use crate::transport::setting::SettingProblem;

/// `[route.source]` with `nats = …`, as written. With `stream` and `durable` it is a JetStream
/// consumer, without them a core subject.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// The stream to read.
    #[serde(default)]
    pub stream: Option<String>,
    /// The durable consumer; processes with the same one share it. It is made where it is not there.
    #[serde(default)]
    pub durable: Option<String>,
    /// With a stream: the only subject to take, wildcards allowed; all by default. Without: the
    /// subject to subscribe to.
    #[serde(default)]
    pub subject: Option<String>,
    /// With a stream: several of them; for servers from 2.10 on.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// With a stream: where a durable starts that is new. Default `earliest`.
    #[serde(default)]
    pub start: Option<Start>,
    /// With a stream: after which silence the server sends a message again to somebody else.
    /// Default 30 s; the bridge says three times as often that it still works on it.
    #[serde(default)]
    pub ack_wait: Option<Interval>,
    /// With a stream and an order: what to do when messages left the stream before they were
    /// delivered. Default `hold`.
    #[serde(default)]
    pub on_offset_lost: Option<OnOffsetLost>,
    /// Without a stream: members of a queue group share the subject. Default none.
    #[serde(default)]
    pub queue: Option<String>,
    /// Without a stream: `at-most-once`, written by hand, because nothing repeats what is lost.
    #[serde(default)]
    pub delivery: Option<Delivery>,
}

/// What is promised for a core subject.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// What is published while nobody listens, or faster than it is taken, is lost.
    AtMostOnce,
}

/// What to do when messages left the stream before they were delivered.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum OnOffsetLost {
    /// Read no further and raise the alarm.
    #[default]
    Hold,
    /// Go on at the oldest message.
    Earliest,
}

/// Default of `ack_wait`.
const ACK_WAIT: Duration = Duration::from_secs(30);
/// Least `ack_wait`: below it, progress could not be told in time on a busy machine.
const LEAST_ACK_WAIT: Duration = Duration::from_secs(1);

/// What the settings were proven to mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Stream(StreamOrigin),
    Subject {
        subject: String,
        queue: Option<String>,
    },
}

/// A durable consumer of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StreamOrigin {
    pub(super) stream: String,
    pub(super) durable: String,
    /// None is all subjects of the stream.
    pub(super) subjects: Vec<String>,
    pub(super) start: Start,
    pub(super) ack_wait: Duration,
    pub(super) on_offset_lost: OnOffsetLost,
}

impl SourceSettings {
    /// Proves the settings, without touching the network.
    pub(super) fn origin(self) -> Result<Origin, Vec<SettingProblem>> {
        if self.stream.is_some() || self.durable.is_some() {
            self.stream_origin()
        } else {
            self.subject_origin()
        }
    }

    fn stream_origin(self) -> Result<Origin, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        let mut name = |key: &str, name: Option<String>| {
            let remedy = "name it; without `stream` and `durable` a core subject is read";
            match name {
                None => problems.push(SettingProblem::new(key, "is missing", remedy)),
                Some(name) if !is_name(&name) => {
                    let what = "is not a name: no white space, dots, wildcards or slashes";
                    problems.push(SettingProblem::new(key, what, "correct the name"));
                }
                Some(name) => return name,
            }
            String::new()
        };
        let (stream, durable) = (name("stream", self.stream), name("durable", self.durable));
        let alone = |key, what| SettingProblem::new(key, what, "leave it out");
        if self.queue.is_some() {
            problems.push(alone(
                "queue",
                "is for core subjects: processes share a durable",
            ));
        }
        if self.delivery.is_some() {
            problems.push(alone(
                "delivery",
                "is for core subjects: a stream delivers at least once",
            ));
        }
        if self.subject.is_some() && !self.subjects.is_empty() {
            problems.push(alone("subject", "stands beside `subjects`"));
        }
        problems.extend(filters(&self.subject, &self.subjects));
        let ack_wait = self.ack_wait.map_or(ACK_WAIT, |interval| interval.0);
        if ack_wait < LEAST_ACK_WAIT {
            let remedy = "write for example \"30s\"";
            problems.push(SettingProblem::new("ack_wait", "is below a second", remedy));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Origin::Stream(StreamOrigin {
            stream,
            durable,
            subjects: self.subject.into_iter().chain(self.subjects).collect(),
            start: self.start.unwrap_or_default(),
            ack_wait,
            on_offset_lost: self.on_offset_lost.unwrap_or_default(),
        }))
    }

    fn subject_origin(self) -> Result<Origin, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        let of_stream = [
            ("subjects", !self.subjects.is_empty()),
            ("start", self.start.is_some()),
            ("ack_wait", self.ack_wait.is_some()),
            ("on_offset_lost", self.on_offset_lost.is_some()),
        ];
        for (key, _) in of_stream.into_iter().filter(|(_, is_there)| *is_there) {
            let remedy = "name `stream` and `durable`, or leave it out";
            problems.push(SettingProblem::new(key, "is for streams", remedy));
        }
        if self.subject.is_none() {
            let remedy = "name `stream` and `durable`, or the subject to subscribe to";
            problems.push(SettingProblem::new("subject", "is missing", remedy));
        }
        problems.extend(filters(&self.subject, &[]));
        if self.queue.as_deref().is_some_and(|queue| !is_name(queue)) {
            problems.push(SettingProblem::new(
                "queue",
                "is not a name",
                "correct the name",
            ));
        }
        if self.delivery.is_none() {
            let what = "is missing: without `stream` and `durable` nothing keeps what is published \
                        while nobody listens, or faster than it is taken";
            let remedy = "name `stream` and `durable`, or write delivery = \"at-most-once\"";
            problems.push(SettingProblem::new("delivery", what, remedy));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Origin::Subject {
            subject: self.subject.unwrap_or_default(),
            queue: self.queue,
        })
    }
}

fn filters(subject: &Option<String>, subjects: &[String]) -> Vec<SettingProblem> {
    let remedy = "use tokens with dots between them; `*` is one token, `>` at the end all others";
    let bad = |key: &str| SettingProblem::new(key, "is not a subject", remedy);
    let is_bad = |filter: &String| !subject::is_filter(filter);
    let mut problems = Vec::new();
    problems.extend(subject.iter().any(is_bad).then(|| bad("subject")));
    problems.extend(subjects.iter().any(is_bad).then(|| bad("subjects")));
    let overlaps = subjects.iter().enumerate().any(|(index, one)| {
        let mut others = subjects
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        others.any(|(_, other)| subject::matches(one, other))
    });
    if overlaps && problems.is_empty() {
        let remedy = "leave out those that another one covers";
        problems.push(SettingProblem::new(
            "subjects",
            "overlap, which servers refuse",
            remedy,
        ));
    }
    problems
}

/// Names of streams, consumers and groups go into subjects as one token.
fn is_name(name: &str) -> bool {
    let is_letter = |c: char| {
        !c.is_whitespace() && !c.is_control() && !matches!(c, '.' | '*' | '>' | '/' | '\\')
    };
    !name.is_empty() && name.len() <= 255 && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn origin(json: &str) -> Result<Origin, Vec<String>> {
        let settings: SourceSettings = serde_json::from_str(json).unwrap();
        let keys = |problems: Vec<SettingProblem>| problems.into_iter().map(|p| p.key).collect();
        settings.origin().map_err(keys)
    }

    #[test]
    fn a_stream_has_defaults() {
        let expected = StreamOrigin {
            stream: "ZAKEN".into(),
            durable: "bridge".into(),
            subjects: Vec::new(),
            start: Start::Earliest,
            ack_wait: ACK_WAIT,
            on_offset_lost: OnOffsetLost::Hold,
        };
        let read = origin(r#"{ "stream": "ZAKEN", "durable": "bridge" }"#);
        assert_eq!(read, Ok(Origin::Stream(expected)));
    }

    #[test]
    fn a_core_subject_says_that_it_loses() {
        let json = r#"{ "subject": "zaken.>", "queue": "q", "delivery": "at-most-once" }"#;
        let expected = Origin::Subject {
            subject: "zaken.>".into(),
            queue: Some("q".into()),
        };
        assert_eq!(origin(json), Ok(expected));
        assert_eq!(
            origin(r#"{ "subject": "zaken" }"#),
            Err(vec!["delivery".to_owned()])
        );
        assert!(
            serde_json::from_str::<SourceSettings>(r#"{ "delivery": "at-least-once" }"#).is_err()
        );
    }

    #[test]
    fn what_contradicts_itself_is_reported_at_once() {
        for (json, keys) in [
            (r#"{ "stream": "a.b" }"#, &["stream", "durable"][..]),
            (r#"{ "durable": "d" }"#, &["stream"]),
            (
                r#"{ "stream": "S", "durable": "d", "queue": "q", "delivery": "at-most-once", "ack_wait": "1ms" }"#,
                &["queue", "delivery", "ack_wait"],
            ),
            (
                r#"{ "stream": "S", "durable": "d", "subject": "a b", "subjects": ["a", "b..c"] }"#,
                &["subject", "subject", "subjects"],
            ),
            (
                r#"{ "stream": "S", "durable": "d", "subjects": ["a.*", "a.b"] }"#,
                &["subjects"],
            ),
            (
                r#"{ "start": "latest", "ack_wait": "5s", "subjects": ["a"] }"#,
                &["subjects", "start", "ack_wait", "subject", "delivery"],
            ),
        ] {
            assert_eq!(origin(json).unwrap_err(), keys, "{json}");
        }
    }
}
