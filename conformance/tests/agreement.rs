//! Two readings of the specification, held against each other: within limits, the codec hands out no
//! event exactly when a rule says so that is declared to refuse.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::fmt::Write;
use std::path::Path;

use cloudevents_nl_conformance::codec::{Codec, Ours, Refusal};
use cloudevents_nl_conformance::generate;
use cloudevents_nl_conformance::rules::RULES;
use cloudevents_nl_conformance::{
    Capture, Checker, Header, Kind, Mode, Profile, Protocol, Sample, vectors,
};
use proptest::prelude::*;

/// What each side says of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Event,
    Refused,
    NotAnEvent,
    Unsupported,
}

fn by_rules(capture: &Capture) -> (Answer, Vec<&'static str>) {
    let checked = Checker::new(Profile::NlGov11).check(capture);
    let refusing = checked.findings.iter().filter(|finding| finding.refuses);
    let refusing: Vec<_> = refusing.map(|finding| finding.rule.id).collect();
    let answer = match checked.kind {
        _ if !refusing.is_empty() => Answer::Refused,
        Kind::Message(_, Mode::NotAnEvent) => Answer::NotAnEvent,
        Kind::Message(_, Mode::Unsupported) => Answer::Unsupported,
        _ => Answer::Event,
    };
    (answer, refusing)
}

/// The codec's answer, `None` beyond its limits.
fn by_codec(capture: &Capture) -> Option<Answer> {
    Some(match Ours.decode(capture) {
        Ok(_) => Answer::Event,
        Err(Refusal::NotAnEvent(_)) => Answer::NotAnEvent,
        Err(Refusal::UnsupportedFormat(_)) => Answer::Unsupported,
        Err(Refusal::TooLarge(_)) => return None,
        Err(_) => Answer::Refused,
    })
}

fn agree(capture: &Capture) {
    let Some(codec) = by_codec(capture) else {
        return;
    };
    let (rules, refusing) = by_rules(capture);
    assert_eq!(
        codec, rules,
        "the codec against the rules ({refusing:?}): {capture:#?}"
    );
}

#[test]
fn on_vectors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut differ = String::new();
    for (name, capture) in vectors::messages(&folder).unwrap() {
        let (rules, refusing) = by_rules(&capture);
        if let Some(codec) = by_codec(&capture).filter(|codec| *codec != rules) {
            writeln!(
                differ,
                "{name}: the codec says {codec:?}, the rules {rules:?} {refusing:?}"
            )
            .unwrap();
        }
    }
    assert!(differ.is_empty(), "{differ}");
}

/// What a rule's own example shows: that it refuses, and that the codec does.
#[test]
fn on_good_examples() {
    for rule in RULES.iter() {
        if let Some(Sample::Message(good)) = rule.good.sample() {
            agree(&good);
        }
    }
}

fn message(
    protocol: Protocol,
    headers: Vec<(String, Option<Vec<u8>>)>,
    body: Option<Vec<u8>>,
) -> Capture {
    let mut capture = Capture::new(protocol);
    capture.headers = headers
        .into_iter()
        .map(|(name, value)| Header { name, value })
        .collect();
    capture.body = body;
    capture
}

const PROTOCOLS: [Protocol; 3] = [Protocol::Kafka, Protocol::Nats, Protocol::Http];

proptest! {
    #[test]
    fn on_valid_events(event in generate::event()) {
        for (protocol, mode) in generate::WAYS {
            agree(&Ours.encode(&event, protocol, mode).unwrap());
        }
    }

    #[test]
    fn on_texts_that_are_nearly_events(text in generate::mutated(generate::object())) {
        agree(&Capture::event(text.clone()));
        let elements = [&b"["[..], &text, b"]"].concat();
        agree(&Capture::batch(elements));
    }

    #[test]
    fn on_any_headers(
        headers in prop::collection::vec(generate::header(), 0..8),
        body in prop_oneof![
            Just(None),
            generate::mutated(generate::json()).prop_map(Some),
            generate::mutated(generate::object()).prop_map(Some),
        ],
    ) {
        for protocol in PROTOCOLS {
            agree(&message(protocol, headers.clone(), body.clone()));
        }
    }
}
