//! Two readings of the specification, held against each other: within limits, the codec hands out no
//! event exactly when a rule says so that is declared to refuse.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "rules/codec.rs"]
mod codec;
#[path = "properties/generate.rs"]
#[allow(dead_code, reason = "the properties of the codec use the rest")]
mod generate;

use std::fmt::Write;
use std::path::Path;

use cloudevents_nl_codec::{Binding, HeaderList};
use cloudevents_nl_codec::{HTTP, KAFKA, NATS, encode_binary, encode_structured};
use cloudevents_nl_conformance::rules::RULES;
use cloudevents_nl_conformance::{
    Capture, Checker, Header, Kind, Mode, Profile, Protocol, Sample, vectors,
};
use codec::Refusal;
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
    Some(match codec::decode(capture) {
        Ok(()) => Answer::Event,
        Err(Refusal::Invalid) => Answer::Refused,
        Err(Refusal::NotAnEvent) => Answer::NotAnEvent,
        Err(Refusal::Unsupported) => Answer::Unsupported,
        Err(Refusal::TooLarge) => return None,
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

const BINDINGS: [(Protocol, &Binding); 3] = [
    (Protocol::Kafka, &KAFKA),
    (Protocol::Nats, &NATS),
    (Protocol::Http, &HTTP),
];

proptest! {
    #[test]
    fn on_valid_events(shape in generate::shape()) {
        let event = generate::event(&shape);
        let mut text = Vec::new();
        encode_structured(&event, &mut text).unwrap();
        agree(&Capture::event(text));
        for (protocol, binding) in BINDINGS {
            let mut headers = HeaderList::default();
            let body = encode_binary(&event, binding, &mut headers).unwrap().map(Into::into);
            let headers = headers.iter().map(|header| {
                (header.name.to_owned(), header.value.map(<[u8]>::to_vec))
            });
            agree(&message(protocol, headers.collect(), body));
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
        for (protocol, _) in BINDINGS {
            agree(&message(protocol, headers.clone(), body.clone()));
        }
    }
}
