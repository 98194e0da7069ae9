//! `[route.sink]` and `[route.dead_letter]` where they name a NATS connection.

use std::time::Duration;

use serde::Deserialize;

use super::Promise;
use crate::interval::Interval;
use crate::transport::nats::settings::Delivery;
use crate::transport::nats::subject;
use crate::transport::setting::SettingProblem;

/// `[route.sink]` or `[route.dead_letter]` with `nats = …`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SinkSettings {
    /// Subject to write. No default.
    pub subject: String,
    /// JetStream stream that must take it. An event is delivered when this stream has stored it.
    #[serde(default)]
    pub stream: Option<String>,
    /// Instead of `stream`: what is enough where nothing stores the events.
    #[serde(default)]
    pub delivery: Option<Delivery>,
    /// Whether a stream with memory storage will do, which loses what it has stored when its servers
    /// stop. Default: it is refused. Dead letters never go there.
    #[serde(default)]
    pub memory_storage: Option<MemoryStorage>,
    /// How long the answer to one event may take, the wait for a connection included. After it the
    /// event counts as not delivered. Default 10 s.
    #[serde(default = "ack_timeout")]
    pub ack_timeout: Interval,
}

/// `memory_storage`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryStorage {
    /// Written to show that it is known.
    Accepted,
}

fn ack_timeout() -> Interval {
    Interval(Duration::from_secs(10))
}

impl SinkSettings {
    /// What an acknowledgement will mean.
    ///
    /// # Errors
    /// Every problem there is with the values.
    pub(super) fn promise(&self) -> Result<Promise, Vec<SettingProblem>> {
        let problem = |key, what: &str, remedy: &str| SettingProblem::new(key, what, remedy);
        let mut problems: Vec<_> = SettingProblem::of_zero("ack_timeout", self.ack_timeout)
            .into_iter()
            .collect();
        if !subject::is_concrete(&self.subject) {
            problems.push(problem(
                "subject",
                "is not a subject that an event can be written to",
                "write tokens with full stops between them, without white space or wildcards",
            ));
        }
        if self.stream.is_none() && self.memory_storage.is_some() {
            let what = "has no meaning without `stream`";
            problems.push(problem("memory_storage", what, "remove it"));
        }
        let promise = match (&self.stream, self.delivery) {
            (Some(stream), None) if is_stream_name(stream) => Promise::Stored(stream.clone()),
            (None, Some(Delivery::AtMostOnce)) => Promise::HandedOver,
            (Some(_), None) => {
                problems.push(problem(
                    "stream",
                    "is not the name of a stream",
                    "write it without white space, `.`, `*`, `>`, `/` and `\\`",
                ));
                return Err(problems);
            }
            (Some(_), Some(_)) => {
                problems.push(problem(
                    "delivery",
                    "contradicts `stream`: what a stream stores is delivered at least once",
                    "keep one of the two",
                ));
                return Err(problems);
            }
            (None, None) => {
                problems.push(problem(
                    "stream",
                    "is missing: a subject alone stores nothing",
                    "name the stream that keeps the events, or write delivery = \"at-most-once\"",
                ));
                return Err(problems);
            }
        };
        if problems.is_empty() {
            Ok(promise)
        } else {
            Err(problems)
        }
    }
}

fn is_stream_name(name: &str) -> bool {
    let is_letter = |c: char| {
        !c.is_whitespace() && !c.is_control() && !matches!(c, '.' | '*' | '>' | '/' | '\\')
    };
    !name.is_empty() && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn promise(json: &str) -> Result<Promise, Vec<String>> {
        let settings: SinkSettings = serde_json::from_str(json).unwrap();
        let keys = |problems: Vec<SettingProblem>| problems.into_iter().map(|p| p.key).collect();
        settings.promise().map_err(keys)
    }

    #[test]
    fn the_promise_is_written_by_the_operator() {
        assert_eq!(
            promise(r#"{ "subject": "zaken.new", "stream": "ZAKEN" }"#),
            Ok(Promise::Stored("ZAKEN".into()))
        );
        assert_eq!(
            promise(r#"{ "subject": "zaken", "delivery": "at-most-once" }"#),
            Ok(Promise::HandedOver)
        );
        for (json, keys) in [
            (r#"{ "subject": "zaken" }"#, &["stream"][..]),
            (r#"{ "subject": "zaken", "stream": "a.b" }"#, &["stream"]),
            (
                r#"{ "subject": "zaken", "stream": "a", "delivery": "at-most-once" }"#,
                &["delivery"],
            ),
            (
                r#"{ "subject": "zaken.*", "ack_timeout": "0s" }"#,
                &["ack_timeout", "subject", "stream"],
            ),
            (
                r#"{ "subject": "a", "delivery": "at-most-once", "memory_storage": "accepted" }"#,
                &["memory_storage"],
            ),
        ] {
            let keys = keys.iter().map(ToString::to_string).collect();
            assert_eq!(promise(json), Err(keys), "{json}");
        }
    }
}
