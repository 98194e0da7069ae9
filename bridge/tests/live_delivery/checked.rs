//! What really flows, judged: `cenl-bridge tail … --show capture | cenl-conformance check -`, both ends as
//! processes of their own, on real brokers.

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::elsewhere::settings_of;
use crate::support::brokers;
use crate::support::command::{Said, start};
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::settings::Settings;
use crate::support::streams::Stream;
use crate::support::tried::checker;

/// An attribute that is empty, so that the report names each event, and the rule that says so.
const EMPTY: (&str, &str) = ("subject", "CE-SUBJECT-1");

/// The event that breaks one more rule, and the rule.
const WRONG: (&str, &str) = ("k1/3", "CE-TIME-1");

fn events() -> Vec<Numbered> {
    numbered(40, 4)
}

/// The event as JSON, with what is wrong with it.
fn json(event: &Numbered) -> String {
    let mut json: Value = serde_json::from_str(&event.json(50)).unwrap();
    json[EMPTY.0] = "".into();
    if event.id() == WRONG.0 {
        json["time"] = "gisteren".into();
    }
    json.to_string()
}

/// The event in binary mode, with what is wrong with it.
fn record(event: &Numbered) -> Record {
    let record = event.binary_record(50);
    let record = record.header(&format!("ce_{}", EMPTY.0), "");
    match event.id() == WRONG.0 {
        true => record.header("ce_time", "gisteren"),
        false => record,
    }
}

/// The report of `tail` into the checker, over a real pipe.
async fn judged(settings: &Settings, place: &[&str]) -> Value {
    let program = tokio::task::spawn_blocking(checker).await.unwrap();
    let words = [place, &["--since", "earliest", "--show", "capture"]].concat();
    let mut tail = start("tail", settings, &words);
    let check = Command::new(program)
        .args(["check", "--format", "json", "--stream", "unordered", "-"])
        .stdin(tail.child.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let waiting = tokio::task::spawn_blocking(move || check.wait_with_output().unwrap());
    assert_eq!(tail.end().await.ends_with(0).errors, "");
    let output: Output = waiting.await.unwrap();
    let said = Said::from(output).ends_with(1);
    assert_eq!(said.errors, "");
    serde_json::from_str(&said.out).unwrap()
}

/// Ids and places of the events that break a rule.
fn breaking<'r>(report: &'r Value, rule: &str) -> BTreeSet<(&'r str, &'r str)> {
    let findings = report["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"] == rule);
    let text = |value: &'r Value| value.as_str().unwrap();
    of_rule
        .map(|finding| (text(&finding["event"]["id"]), text(&finding["position"])))
        .collect()
}

fn assert_judged(report: &Value, place: &str) {
    let ids: BTreeSet<_> = events().iter().map(Numbered::id).collect();
    let count = ids.len() as u64;
    assert_eq!(report["counts"]["messages"], count, "{report:#}");
    assert_eq!(report["counts"]["events"], count, "{report:#}");
    let all = breaking(report, EMPTY.1);
    let found: BTreeSet<_> = all.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(found, ids);
    let places: BTreeSet<_> = all.iter().map(|(_, place)| place).collect();
    assert_eq!(places.len(), ids.len(), "each lay in a place of its own");
    assert!(all.iter().all(|(_, at)| at.starts_with(place)), "{all:?}");
    let wrong = breaking(report, WRONG.1);
    let wrong: Vec<_> = wrong.iter().map(|(id, _)| *id).collect();
    assert_eq!(wrong, [WRONG.0]);
}

#[tokio::test]
async fn a_topic_through_the_checker() {
    let broker = brokers::kafka();
    let settings = settings_of(&brokers::nats()).await;
    let structured = |event: &Numbered| {
        Record::new(Some(&event.key), Some(json(event).as_bytes()))
            .header("content-type", "application/cloudevents+json")
    };
    for form in [&structured as &dyn Fn(&Numbered) -> Record, &record] {
        let topic = Topic::create(&broker, "checked").await;
        topic.write(events().iter().map(form)).await;
        let place = ["--kafka", "main", "--topic", &topic.name];
        let report = judged(&settings, &place).await;
        assert_judged(&report, &format!("kafka:{}/", topic.name));
    }
}

#[tokio::test]
async fn a_stream_through_the_checker() {
    let server = brokers::nats();
    let stream = Stream::create(&server, "checked").await;
    for event in events() {
        let headers = [("Content-Type", "application/cloudevents+json")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        stream.write(&headers, json(&event).into_bytes()).await;
    }
    let settings = settings_of(&server).await;
    let place = ["--nats", "main", "--subject", &stream.subject];
    let report = judged(&settings, &place).await;
    assert_judged(&report, &format!("nats:{}/", stream.name));
}
