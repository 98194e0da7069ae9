//! `openapi.json` against the router and the types.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::super::overview::{
    Circuit, DeadLetterLine, IngressRefusal, LetterState, Overview, RouteState,
};
use super::*;

fn document() -> Value {
    serde_json::from_str(OPENAPI).unwrap()
}

#[test]
fn every_path_is_documented_and_every_documented_one_is_there() {
    let source = include_str!("../../router.rs");
    let served: BTreeSet<String> = source
        .lines()
        .filter(|line| line.contains("\"/v1/"))
        .map(|line| {
            let path = line.split('"').nth(1).unwrap().trim_start_matches("/v1");
            let method = if line.contains("post(") {
                "post"
            } else {
                "get"
            };
            format!("{method} {path}")
        })
        .collect();
    let document = document();
    let paths = document["paths"].as_object().unwrap().iter();
    let documented = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys();
        methods.map(move |method| format!("{method} {path}"))
    });
    assert_eq!(served, documented.collect());
    assert!(served.len() > 10, "{served:?}");
}

#[test]
fn every_type_has_the_keys_that_are_documented() {
    let now = jiff::Timestamp::UNIX_EPOCH;
    let text = || "x".to_owned();
    let route = RouteOverview {
        name: text(),
        state: RouteState::NotRunning,
        fault: None,
        source: text(),
        destination: text(),
        dead_letter_place: None,
        circuit: Circuit::HalfOpen,
        cause: None,
        remedy: None,
        since: None,
        delivered: 0,
        filtered: 0,
        dead_letters: 0,
        per_second: 0.5,
        per_minute: vec![1],
        lag: Some(1),
        oldest_unsettled_seconds: 0.5,
        in_flight: 0,
        waiting: 0,
        window_events: 0,
        last_delivery: Some(now),
    };
    let refusal = IngressRefusal {
        at: now,
        listener: text(),
        path: text(),
        peer: text(),
        status: 400,
        reason: text(),
    };
    let letter = DeadLetterLine {
        position: text(),
        written: Some(now),
        state: LetterState::Open,
        kind: text(),
        status: text(),
        attempts: 1,
        id: None,
        source: None,
        r#type: None,
    };
    let waiting = WaitingEvent {
        id: text(),
        source: text(),
        r#type: text(),
        position: text(),
        attempts: 1,
        last_answer: None,
        next_attempt: Some(now),
    };
    let overview = Overview {
        version: text(),
        started: now,
        at: now,
        ready: true,
        actions: true,
        routes: vec![route.clone()],
        ingress_refusals: vec![refusal.clone()],
    };
    let document = document();
    for (name, value) in [
        ("Overview", json!(overview)),
        ("Route", json!(route)),
        ("IngressRefusal", json!(refusal)),
        ("DeadLetter", json!(letter)),
        ("WaitingEvent", json!(waiting)),
        ("Done", json!(Done::Retried)),
        ("Handled", json!(Done::DeadLetters(Handled::default()))),
        ("TakenOver", json!(TakenOver::default())),
        ("Problem", Problem::not_now("x").json()),
    ] {
        let mut schema = document["components"]["schemas"][name].clone();
        let required = schema["required"].as_array().unwrap().clone();
        let required: BTreeSet<_> = required.iter().map(|key| key.as_str().unwrap()).collect();
        let keys = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(required, keys, "{name}");
        schema["components"] = document["components"].clone();
        if let Err(fault) = jsonschema::validate(&schema, &value) {
            panic!("{name}: {fault}");
        }
    }
}
