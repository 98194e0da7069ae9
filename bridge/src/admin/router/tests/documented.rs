//! `openapi.json` against the router and the types.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::super::overview::{
    Circuit, DeadLetterLine, IngressRefusal, LetterState, Outage, Overview, RouteState,
    SettingsFault, Stage, WaitingEvent,
};
use super::*;

fn document() -> Value {
    serde_json::from_str(OPENAPI).unwrap()
}

/// Fails where an answer of a path that is documented is not.
pub(super) fn has(method: &str, path: &str, status: StatusCode) {
    let path = path.split('?').next().unwrap();
    let path: Vec<_> = path.trim_start_matches("/v1").split('/').collect();
    let is_it = |template: &str| {
        let template: Vec<_> = template.split('/').collect();
        let is_alike = |(one, other): (&&str, &&str)| one.starts_with('{') || one == other;
        template.len() == path.len() && template.iter().zip(&path).all(is_alike)
    };
    let method = method.to_lowercase().replace("head", "get");
    let document = document();
    let paths = document["paths"].as_object().unwrap().iter();
    let mut operations = paths.filter_map(|(path, all)| is_it(path).then(|| all.get(&method))?);
    let of_method: Vec<_> = operations.by_ref().collect();
    let is_told = |it: &&Value| it["responses"].get(status.as_str()).is_some();
    assert!(
        of_method.is_empty() || of_method.iter().any(is_told),
        "{method} {path:?} answers {status}"
    );
}

/// What the guard, the body and a busy process answer, and what a reload does.
#[test]
fn what_any_order_may_be_answered_is_documented() {
    let document = document();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(post) = methods.get("post") else {
            continue;
        };
        for status in [
            "400", "401", "403", "408", "413", "421", "500", "503", "504",
        ] {
            assert!(post["responses"].get(status).is_some(), "{path} {status}");
        }
    }
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
    let now = Timestamp::UNIX_EPOCH;
    let text = || "x".to_owned();
    let outage = Outage {
        end: Stage::DeadLetter,
        cause: text(),
        remedy: text().into(),
        since: now,
        retry_after: Some(now),
    };
    let route = RouteOverview {
        name: text(),
        state: RouteState::NotRunning,
        faults: vec![text()],
        source: text(),
        destination: text(),
        dead_letter_place: None,
        circuit: Circuit::HalfOpen,
        outages: vec![outage.clone()],
        delivered: 0,
        filtered: 0,
        discarded: 0,
        dead_letters: 0,
        lost: 0,
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
        id: None,
        source: None,
        r#type: None,
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
        settings_fault: Some(SettingsFault {
            since: now,
            cause: text(),
        }),
        routes: vec![route.clone()],
        ingress_refusals: vec![refusal.clone()],
    };
    let document = document();
    for (name, value) in [
        ("Overview", json!(overview)),
        ("Route", json!(route)),
        ("Outage", json!(outage)),
        ("IngressRefusal", json!(refusal)),
        ("DeadLetter", json!(letter)),
        ("WaitingEvent", json!(waiting)),
        ("WaitingEvents", json!(WaitingEvents::default())),
        ("Done", json!(Done::Retried)),
        ("Handled", json!(Done::DeadLetters(Handled::default()))),
        ("TakenOver", json!(TakenOver::default())),
        ("Problem", ProblemDetails::not_now("x").json()),
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
