//! Each rule over runs that never left memory: whole ones in every pair of ways, and with a fault.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arrivals;

use std::collections::BTreeSet;

use cloudevents_nl_conformance::catalogue::{self, Checkable};
use cloudevents_nl_conformance::codec::{Codec, Decoded, Ours};
use cloudevents_nl_conformance::{Capture, Mode, Protocol};

use super::*;
use crate::given::Given;
use crate::intermediary::compare::Tolerance;
use crate::intermediary::figures::Figures;
use crate::intermediary::load::numbered;
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
        handshakes: Vec::new(),
        is_alone: true,
        tolerated: Vec::new(),
        has_asked_for_batches: true,
        incidents: Vec::new(),
        given: Given {
            tls: true,
            token: true,
        },
    };
    for (protocol, mode) in from.iter().copied() {
        let writer = Writer { protocol, mode };
        for message in specimens("run", &writer, 100) {
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
        exchanges: Vec::new(),
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
        let messages = specimens("run", &Writer { protocol, mode }, 100);
        let large = messages
            .iter()
            .find(|message| message.names == [LARGE])
            .unwrap();
        assert_eq!(100 + large.size(), LARGEST, "{protocol:?} {mode:?}");
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
    let faults: [(Alter, &[&str]); 5] = [
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
        // As a serializer of JSON writes it.
        (
            |sent, capture| {
                if let Some(key) = sent.event.attribute("partitionkey") {
                    capture.key = Some(format!("{key:?}").into_bytes());
                }
            },
            &["KAFKA-KEY-1", "KAFKA-KEY-2"],
        ),
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

/// Whatever the binding, other data in a binary message is found, and other bytes from body to body.
#[test]
fn data_that_is_another_is_named_by_each_binding() {
    let faults: [(&[u8], &[u8]); 2] = [(b"1.50", b"1.51"), (b"1.50", b"1.5")];
    let ways: [(Way, Way, &[&str]); 4] = [
        (WAYS[1], WAYS[3], &["KAFKA-BIN-1", "NATS-BIN-5"]),
        (WAYS[3], WAYS[3], &["NATS-BIN-5"]),
        (WAYS[1], WAYS[5], &["KAFKA-BIN-1", "HTTP-BIN-7"]),
        (WAYS[4], WAYS[4], &[]),
    ];
    for (was, is) in faults {
        for (from, to, expected) in ways {
            let story = carried(&[from], to, |_, capture| {
                replace(capture, was, is);
                true
            });
            assert_eq!(broken(&story), expected, "{from:?} {to:?}");
            assert_eq!(Figures::of(&story).changed.len(), 1, "{from:?} {to:?}");
        }
    }
}

/// Puts other bytes into a body that has these.
fn replace(capture: &mut Capture, was: &[u8], is: &[u8]) {
    let body = capture.body();
    let at = body.windows(was.len()).position(|bytes| bytes == was);
    let Some(at) = at else { return };
    let rest = &body[at + was.len()..];
    capture.body = Some([&body[..at], is, rest].concat());
}

#[test]
fn a_type_that_is_another_is_named() {
    let faults: [(&[u8], &[u8], &[&str]); 4] = [
        // The value is the same (CE-TYPES-14).
        (b":-2147483648", b":\"-2147483648\"", &[]),
        (b"vlag\":true", b"vlag\":\"true\"", &[]),
        (b"geenwaar\":\"true\"", b"geenwaar\":true", &["JSON-TYPE-4"]),
        (b"cijfers\":\"42\"", b"cijfers\":42", &["JSON-TYPE-4"]),
    ];
    for (was, is, expected) in faults {
        let mut story = carried(&[WAYS[4]], WAYS[0], |_, capture| {
            replace(capture, was, is);
            true
        });
        assert_eq!(broken(&story), expected);
        let changed = Figures::of(&story).changed;
        assert_eq!(changed.len(), 1);
        assert!(changed[0].ends_with(" (--tolerate attribute-types)"));
        story.tolerated.push(Tolerance::AttributeTypes);
        assert_eq!(broken(&story), [""; 0]);
        assert!(Figures::of(&story).is_good(&[]));
    }
}

#[test]
fn none_that_becomes_empty_is_found() {
    let empty = |_: &Sent, capture: &mut Capture| {
        _ = capture.body.get_or_insert_default();
        true
    };
    let changed = |from| Figures::of(&carried(&[from], WAYS[1], empty)).changed.len();
    assert_eq!((changed(WAYS[4]), changed(WAYS[1])), (2, 2));
    // Over HTTP in binary mode nobody can tell.
    assert_eq!(changed(WAYS[5]), 0);
}

/// Who knows events by `id` alone drops one of two sources.
#[test]
fn two_sources_with_one_id_are_two_events() {
    let lost = |name: &str| {
        let story = carried(&[WAYS[4]], WAYS[0], |sent, _| sent.name != name);
        Figures::of(&story).lost.len()
    };
    assert_eq!((lost("same-id"), lost("plain")), (1, 1));
    let other = |_: &Sent, capture: &mut Capture| {
        replace(capture, b"09220932.conformiteitstoets", b"09220932.ander");
        true
    };
    let story = carried(&[WAYS[4]], WAYS[0], other);
    assert_eq!(broken(&story), ["CE-TYPES-13"]);
}

/// The load, of one key, as records in partitions that are told by number.
#[test]
fn records_of_one_key_lie_in_one_partition() {
    let overtaken = |partitions: [u32; 3]| {
        let mut story = carried(&[WAYS[4]], WAYS[1], |_, _| true);
        let writer = Writer {
            protocol: Protocol::Kafka,
            mode: Mode::Binary,
        };
        for (number, partition) in partitions.into_iter().enumerate() {
            let mut message = numbered("run", &writer, 0, number, 1).capture;
            let plain = Plain::of(&message).remove(0);
            story.sent.push(sent("load", plain, &message));
            message.key = Some(number.to_string().into_bytes());
            message.position = Some(format!("kafka:out/{partition}/{number}"));
            story.came.push(Came::now(message));
        }
        Figures::of(&story).overtaken
    };
    assert_eq!(overtaken([0, 0, 0]), [""; 0]);
    let named = ["run/load/0/1: kafka:out/0 → kafka:out/1"];
    assert_eq!(overtaken([0, 1, 0]), named);
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
    expected.extend(["CE-TYPES-2", "HTTP-DETECT-2", "JSON-DATA-9", "JSON-TYPE-4"]);
    expected.extend(["HTTP-BIN-7", "KAFKA-BIN-1", "NATS-BIN-5"]);
    let rules = || RULES.iter().copied().flatten().map(|rule| rule.0);
    let own: BTreeSet<_> = rules().collect();
    assert_eq!((own.len(), own), (rules().count(), expected));
    for rule in rules() {
        assert!(Live::new(rule, Shown::Met).is_some(), "{rule}");
    }
}

/// All JSON is in UTF-8, and may say so.
#[test]
fn the_type_that_untyped_json_gets_may_have_a_charset() {
    let story = carried(&[WAYS[4]], WAYS[5], |sent, capture| {
        let headers = capture.headers.iter_mut();
        for header in headers.filter(|_| sent.name == "untyped-json") {
            if header.value.as_deref() == Some(&b"application/json"[..]) {
                header.value = Some(b"application/json;charset=UTF-8".to_vec());
            }
        }
        true
    });
    assert_eq!(broken(&story), [""; 0]);
    assert!(Figures::of(&story).is_good(&[]));
}

/// Nothing came out: all of it was lost, or refused.
#[test]
fn loss_is_named_and_refusing_everything_is_not() {
    let mut story = carried(&[WAYS[4], WAYS[5]], WAYS[4], |_, _| false);
    assert_eq!(broken(&story), ["SIZE-1"]);
    for sent in &mut story.sent {
        sent.outcome = Outcome::Refused("404".to_owned());
    }
    assert_eq!(broken(&story), [""; 0]);
}

/// Refused for good is not forwarded; of what nobody knows the outcome, nothing is said.
#[test]
fn one_that_does_not_come_out_is_named() {
    let without = |outcome: Outcome| {
        let mut story = carried(&[WAYS[4]], WAYS[4], |sent, _| sent.name != "none");
        let mut sent = story.sent.iter_mut();
        sent.find(|sent| sent.name == "none").unwrap().outcome = outcome;
        broken(&story)
    };
    assert_eq!(without(Outcome::Taken), ["SIZE-1"]);
    assert_eq!(without(Outcome::Refused("400".to_owned())), ["SIZE-1"]);
    assert_eq!(without(Outcome::Unknown("503".to_owned())), [""; 0]);
}

/// What is not shown says why, in both languages.
#[test]
fn every_rule_ends_with_a_verdict_or_a_reason() {
    for live in judge(&carried(&[WAYS[4]], WAYS[0], |_, _| false)) {
        if let Shown::Nothing(why) = &live.shown {
            let has_both = !why.en.is_empty() && !why.nl.is_empty() && why.en != why.nl;
            assert!(has_both, "{}", live.rule.id);
        }
    }
}
