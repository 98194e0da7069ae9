//! Each rule over runs that never left memory: whole ones in every pair of ways, and with a fault.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use cloudevents_nl_conformance::catalogue::{self, Checkable};
use cloudevents_nl_conformance::codec::{Codec, Decoded, Ours};
use cloudevents_nl_conformance::{Capture, Mode, Protocol};

use super::*;
use crate::intermediary::figures::Figures;
use crate::intermediary::message::{OUTSIDE, Writer};
use crate::intermediary::plain::Plain;
use crate::intermediary::specimens::{LARGE, LARGEST, specimens};
use crate::intermediary::story::{Came, Outcome, Sent};

type Way = (Protocol, Mode);

/// A fault.
type Alter = fn(&Sent, &mut Capture);

const WAYS: [Way; 7] = [
    (Protocol::Kafka, Mode::Structured),
    (Protocol::Kafka, Mode::Binary),
    (Protocol::Nats, Mode::Structured),
    (Protocol::Nats, Mode::Binary),
    (Protocol::Http, Mode::Structured),
    (Protocol::Http, Mode::Binary),
    (Protocol::Http, Mode::Batched),
];

/// All specimens by one way in and another out; `fault` sees each message that comes out, and may swallow it.
fn carried(from: &[Way], to: Way, fault: impl Fn(&Sent, &mut Capture) -> bool) -> Story {
    let mut story = Story {
        run: "run".to_owned(),
        from: from[0].0,
        to: to.0,
        sent: Vec::new(),
        came: Vec::new(),
        is_alone: true,
        tolerated: Vec::new(),
        has_asked_for_batches: true,
        incidents: Vec::new(),
    };
    for (protocol, mode) in from.iter().copied() {
        let writer = Writer {
            protocol,
            mode,
            framing: 100,
        };
        for message in specimens("run", &writer) {
            let events = match Ours.decode(&message.capture).unwrap() {
                Decoded::Event(event) => vec![event],
                Decoded::Batch(events) => events,
            };
            let plain = Plain::of(&message.capture);
            for ((name, plain), event) in message.names.iter().zip(plain).zip(events) {
                let sent = sent(name, plain, &message.capture);
                let mut capture = Ours.encode(&event, to.0, to.1).unwrap();
                capture.key = message.capture.key.clone();
                if fault(&sent, &mut capture) {
                    story.came.push(Came::now(capture));
                }
                story.sent.push(sent);
            }
        }
    }
    story
}

fn sent(name: &'static str, event: Plain, message: &Capture) -> Sent {
    Sent {
        name,
        event,
        message: message.clone(),
        outcome: Outcome::Taken,
        offers: 1,
        exchange: None,
        is_odd: false,
        line: 1,
    }
}

fn broken(story: &Story) -> Vec<&'static str> {
    let lives = judge(story).into_iter();
    let broken = lives.filter(|live| matches!(live.shown, Shown::Broken(_)));
    broken.map(|live| live.rule.id).collect()
}

#[test]
fn a_good_one_passes_from_every_way_to_every_other() {
    for from in WAYS {
        for to in WAYS {
            let story = carried(&[from], to, |_, _| true);
            let figures = Figures::of(&story);
            assert!(figures.is_good(&[]), "{from:?} {to:?} {figures:?}");
            assert_eq!(broken(&story), [""; 0], "{from:?} {to:?}");
            assert!(figures.arrived > 20);
        }
    }
}

#[test]
fn the_large_one_is_as_large_as_may_be() {
    for (protocol, mode) in WAYS {
        let writer = Writer {
            protocol,
            mode,
            framing: 100,
        };
        let messages = specimens("run", &writer);
        let large = messages
            .iter()
            .find(|message| message.names == [LARGE])
            .unwrap();
        assert_eq!(writer.size(large), LARGEST, "{protocol:?} {mode:?}");
    }
}

const BOTH: [Way; 2] = [WAYS[0], WAYS[1]];

#[test]
fn faults_with_keys_are_named() {
    let good = carried(&BOTH, WAYS[1], |_, _| true);
    assert!(
        judge(&good)
            .iter()
            .any(|live| live.rule.id == "KAFKA-KEY-2" && live.shown == Shown::Met)
    );
    let faults: [(Alter, &[&str]); 4] = [
        (
            |_, capture| {
                capture
                    .headers
                    .retain(|header| header.name != "ce_partitionkey")
            },
            &["CE-INT-1", "KAFKA-KEY-4"],
        ),
        (
            |sent, capture| {
                if sent.event.attribute("partitionkey").is_none() {
                    *capture = capture.clone().with_header("ce_partitionkey", OUTSIDE);
                }
            },
            &["KAFKA-KEY-5"],
        ),
        (|_, capture| capture.key = None, &["KAFKA-KEY-2"]),
        // What version 1.0.1 asks for is no fault.
        (
            |sent, capture| {
                let mapped = sent.event.attribute("partitionkey");
                capture.key =
                    mapped.map_or_else(|| capture.key.take(), |key| Some(key.as_bytes().to_vec()));
            },
            &[],
        ),
    ];
    for (number, (fault, expected)) in faults.into_iter().enumerate() {
        let story = carried(&BOTH, WAYS[1], |sent, capture| {
            fault(sent, capture);
            true
        });
        assert_eq!(broken(&story), expected, "{number}");
    }
}

#[test]
fn a_mode_that_is_not_read_is_named() {
    let all: [(&[Way], Mode, &[&str]); 4] = [
        (
            &[WAYS[0], WAYS[1]],
            Mode::Binary,
            &["KAFKA-MODE-1", "KAFKA-MODE-4"],
        ),
        (
            &[WAYS[0], WAYS[1]],
            Mode::Structured,
            &["KAFKA-MODE-1", "KAFKA-MODE-3", "KAFKA-MODE-4"],
        ),
        (
            &[WAYS[2], WAYS[3]],
            Mode::Structured,
            &["NATS-FMT-1", "NATS-MODE-1"],
        ),
        (&[WAYS[4], WAYS[5]], Mode::Binary, &["HTTP-MODE-1"]),
    ];
    for (from, mode, expected) in all {
        let story = carried(from, WAYS[0], |sent, _| sent.event.mode != mode);
        let mut broken = broken(&story);
        broken.retain(|rule| *rule != "SIZE-1");
        assert_eq!(broken, expected, "{from:?}");
    }
}

/// Those of the formats and bindings are everybody's that reads and writes them.
#[test]
fn every_live_rule_of_an_intermediary_is_here() {
    let bound = ["intermediary", "kafka", "nats", "http", "json"];
    let entries = catalogue::entries()
        .iter()
        .filter(|entry| entry.checkable == Checkable::Live && bound.contains(&&*entry.applies_to));
    let mut expected: BTreeSet<_> = entries.map(|entry| &*entry.id).collect();
    // It binds producers; whoever writes events anew is one. The others bind readers: what they read
    // shows in what they hand on.
    expected.extend(["CE-TYPES-2", "HTTP-BIN-7", "JSON-DATA-9"]);
    let own: BTreeSet<_> = RULES.iter().map(|rule| rule.0).collect();
    assert_eq!((own.len(), own), (RULES.len(), expected));
    for (rule, _) in RULES {
        assert!(Live::new(rule, Shown::Met).is_some(), "{rule}");
    }
}

/// What is not shown says why, in both languages.
#[test]
fn every_rule_ends_with_a_verdict_or_a_reason() {
    for live in judge(&carried(&[WAYS[4]], WAYS[0], |_, _| false)) {
        if let Shown::Nothing(why) = &live.shown {
            assert!(
                !why.en.is_empty() && !why.nl.is_empty() && why.en != why.nl,
                "{}",
                live.rule.id
            );
        }
    }
}
