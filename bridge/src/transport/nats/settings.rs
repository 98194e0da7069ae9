//! `[route.source]` where it names a NATS connection: a JetStream consumer, or a core subject.

use std::time::Duration;

use super::subject::{self, is_filter};
use crate::config::{Fault, OnOffsetLost, Reported, Start, Table, Words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NatsOrigin {
    Stream(StreamOrigin),
    Subject {
        subject: String,
        queue: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StreamOrigin {
    pub(super) stream: String,
    pub(super) durable: String,
    /// Empty is all subjects of the stream.
    pub(super) subjects: Vec<String>,
    pub(super) start: Start,
    pub(super) ack_wait: Duration,
    pub(super) on_offset_lost: OnOffsetLost,
}

/// What is published while nobody listens, or faster than it is taken, is lost.
#[derive(Clone)]
pub(super) struct AtMostOnce;

impl Words for AtMostOnce {
    const WORDS: &'static [(&'static str, Self)] = &[("at-most-once", Self)];
}

impl NatsOrigin {
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "stream to read";
        let stream = table.key("stream", meaning).must(is_name);
        let stream = stream.optional("none: a core subject");
        let meaning = "durable consumer; what it acknowledged is where the next start goes on";
        let durable = table.key("durable", meaning).must(is_name);
        let durable = durable.optional("required with `stream`");
        let meaning = "with a stream, the one subject to take, wildcards allowed; without, the \
                       subject to subscribe to";
        let subject = table.key::<String>("subject", meaning).must(is_filter);
        let subject = subject.optional("all of a stream; required without");
        let meaning = "with a stream, several subjects to take; servers from 2.10 on";
        let subjects = table.key::<Vec<_>>("subjects", meaning).must(are_filters);
        let subjects = subjects.optional("none");
        let meaning = "with a stream, where a new durable starts: `earliest`, `latest` or a time \
                       such as `2026-01-31T12:00:00Z`";
        let start = table.key("start", meaning).or("earliest");
        let meaning = "with a stream and `order = \"none\"`, after which silence the server sends a \
                       message again; the bridge says three times as often that it works on it. With \
                       an order the bridge chooses it";
        let ack_wait = table.key("ack_wait", meaning).must(a_second_at_least);
        let ack_wait = ack_wait.or("30s");
        let meaning = "with a stream, when messages left the stream before they were \
                       delivered: `hold` reads no further, `earliest` goes on at the oldest";
        let on_offset_lost = table.key("on_offset_lost", meaning).or("hold");
        let meaning = "without a stream, the queue group whose members share the subject";
        let queue = table.key("queue", meaning).must(is_name);
        let queue = queue.optional("none: every process gets every message");
        let meaning = "without a stream, `at-most-once`, written to show that it is known";
        let delivery = table.key::<AtMostOnce>("delivery", meaning);
        let delivery = delivery.optional("required without `stream`");
        let (stream, durable, subject, subjects) = (stream?, durable?, subject?, subjects?);
        let origin = if stream.is_none() && durable.is_none() {
            delivery?;
            check_subject(table);
            Self::Subject {
                subject: subject.unwrap_or_default(),
                queue: queue?,
            }
        } else {
            check_stream(table);
            let subjects = subject.into_iter().chain(subjects.into_iter().flatten());
            Self::Stream(StreamOrigin {
                stream: stream.unwrap_or_default(),
                durable: durable.unwrap_or_default(),
                subjects: subjects.collect(),
                start: start?,
                ack_wait: ack_wait?,
                on_offset_lost: on_offset_lost?,
            })
        };
        table.sound().map(|()| origin)
    }
}

fn check_stream(table: &Table<'_>) {
    for key in ["stream", "durable"] {
        if !table.has(key) {
            let remedy = "name it; without `stream` and `durable` a core subject is read";
            table.report(&[key], "is missing", remedy);
        }
    }
    let what = "is for core subjects: processes share a durable";
    table.refuse(&["queue"], what, "leave it out");
    let what = "is for core subjects: a stream delivers at least once";
    table.refuse(&["delivery"], what, "leave it out");
    if table.has("subjects") {
        table.refuse(&["subject"], "stands beside `subjects`", "leave it out");
    }
}

fn check_subject(table: &Table<'_>) {
    let remedy = "name `stream` and `durable`, or leave it out";
    let of_stream = ["subjects", "start", "ack_wait", "on_offset_lost"];
    table.refuse(&of_stream, "is for streams", remedy);
    if !table.has("subject") {
        let remedy = "name `stream` and `durable`, or the subject to subscribe to";
        table.report(&["subject"], "is missing", remedy);
    }
    if !table.has("delivery") {
        let what = "is missing: without `stream` and `durable` nothing keeps what is published \
                    while nobody listens, or faster than it is taken";
        let remedy = "name `stream` and `durable`, or write delivery = \"at-most-once\"";
        table.report(&["delivery"], what, remedy);
    }
}

fn are_filters(filters: &[String]) -> Result<(), Fault> {
    filters.iter().try_for_each(|filter| is_filter(filter))?;
    let is_covered = |(at, one): (usize, &String)| {
        let mut others = filters.iter().enumerate();
        others.any(|(other, filter)| other != at && subject::matches(one, filter))
    };
    let overlap = filters.iter().enumerate().any(is_covered);
    let remedy = "leave out those that another one covers";
    Fault::unless(!overlap, "overlap, which servers refuse", remedy)
}

/// Below it, progress could not be reported in time on a busy machine.
fn a_second_at_least(wait: &Duration) -> Result<(), Fault> {
    let fits = wait.as_secs() > 0;
    Fault::unless(fits, "is below a second", "write for example \"30s\"")
}

/// Names of streams, consumers and groups go into subjects as one token.
pub(super) fn is_name(name: &str) -> Result<(), Fault> {
    let is_letter = |c: char| {
        !c.is_whitespace() && !c.is_control() && !matches!(c, '.' | '*' | '>' | '/' | '\\')
    };
    let is_name = (1..=255).contains(&name.len()) && name.chars().all(is_letter);
    let remedy = "write it without white space, `.`, `*`, `>`, `/` and `\\`";
    Fault::unless(is_name, "is not a name", remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{faults, read};

    #[test]
    fn a_stream_has_defaults() {
        let expected = StreamOrigin {
            stream: "ZAKEN".into(),
            durable: "bridge".into(),
            subjects: Vec::new(),
            start: Start::Earliest,
            ack_wait: Duration::from_secs(30),
            on_offset_lost: OnOffsetLost::Hold,
        };
        let origin = read(
            r#"{ "stream": "ZAKEN", "durable": "bridge" }"#,
            NatsOrigin::read,
        );
        assert_eq!(origin, Ok(NatsOrigin::Stream(expected)));
    }

    #[test]
    fn a_core_subject_says_that_it_loses() {
        let json = r#"{ "subject": "zaken.>", "queue": "q", "delivery": "at-most-once" }"#;
        let expected = NatsOrigin::Subject {
            subject: "zaken.>".into(),
            queue: Some("q".into()),
        };
        assert_eq!(read(json, NatsOrigin::read), Ok(expected));
        for json in [
            r#"{ "subject": "zaken" }"#,
            r#"{ "subject": "zaken", "delivery": "at-least-once" }"#,
        ] {
            assert_eq!(faults(json, NatsOrigin::read), ["delivery"], "{json}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_reported_at_once() {
        for (json, keys) in [
            (
                r#"{ "stream": "a.b", "durable": "c d" }"#,
                &["durable", "stream"][..],
            ),
            (r#"{ "durable": "d" }"#, &["stream"]),
            (r#"{ "stream": "S" }"#, &["durable"]),
            (
                r#"{ "stream": "S", "durable": "d", "queue": "q", "delivery": "at-most-once" }"#,
                &["delivery", "queue"],
            ),
            (
                r#"{ "stream": "S", "durable": "d", "subject": "a b", "subjects": ["a", "b..c"], "ack_wait": "1ms" }"#,
                &["ack_wait", "subject", "subjects"],
            ),
            (
                r#"{ "stream": "S", "durable": "d", "subject": "a", "subjects": ["b"] }"#,
                &["subject"],
            ),
            (
                r#"{ "stream": "S", "durable": "d", "subjects": ["a.*", "a.b"] }"#,
                &["subjects"],
            ),
            (
                r#"{ "start": "latest", "ack_wait": "5s", "subjects": ["a"] }"#,
                &["ack_wait", "delivery", "start", "subject", "subjects"],
            ),
        ] {
            assert_eq!(faults(json, NatsOrigin::read), keys, "{json}");
        }
    }
}
