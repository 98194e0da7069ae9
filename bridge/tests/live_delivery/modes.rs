//! Kafka to webhooks in every mode: attributes, types and data bytes stay what they were.

use std::collections::BTreeMap;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::specimens::{Specimen, specimens};
use crate::support::wait::{SOON, until};
use crate::support::wire::{Mode, Seen};

#[tokio::test]
async fn structured_delivery_changes_nothing() {
    let seen = carry("structured").await;
    assert!(seen.values().all(|seen| seen.mode == Mode::Structured));
}

#[tokio::test]
async fn binary_delivery_changes_nothing() {
    let seen = carry("binary").await;
    for (id, seen) in seen {
        assert_eq!(seen.mode == Mode::Binary, is_delivery(&id), "{id}");
    }
}

#[tokio::test]
async fn batched_delivery_changes_nothing() {
    let seen = carry("batched").await;
    assert!(seen.values().all(|seen| seen.mode == Mode::Batched));
}

#[tokio::test]
async fn delivery_as_received_changes_nothing() {
    let seen = carry("as-received").await;
    for (id, seen) in seen {
        let is_binary = id.starts_with("binary") && is_delivery(&id);
        assert_eq!(seen.mode == Mode::Binary, is_binary, "{id}");
    }
}

/// A webhook delivery has a body and its content type, so what would lack one in binary mode goes structured.
fn is_delivery(id: &str) -> bool {
    !id.contains("-none") && !id.ends_with("-empty") && !id.ends_with("-bytes-untyped")
}

/// Carries every specimen in both modes of Kafka, compares each, and returns what came.
async fn carry(mode: &str) -> BTreeMap<String, Seen> {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "modes").await,
        Topic::create(&broker, "dead").await,
    );
    let (structured, binary) = (specimens("structured"), specimens("binary"));
    let records = structured.iter().map(Specimen::structured_record);
    topic
        .write(records.chain(binary.iter().map(Specimen::binary_record)))
        .await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::to_webhook(&topic, &receiver, &dead).sink(&format!("mode = \"{mode}\""));
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let sent = structured.len() + binary.len();
    until("every specimen arrived", SOON, || {
        receiver.accepted_count() >= sent
    })
    .await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    assert_eq!(dead.len().await, 0);
    let seen: BTreeMap<_, _> = receiver
        .events()
        .into_iter()
        .map(|seen| (seen.id().to_owned(), seen))
        .collect();
    assert_eq!((seen.len(), receiver.accepted_count()), (sent, sent));
    for specimen in structured.iter().chain(&binary) {
        specimen.is_equal_to(&seen[specimen.id()], true);
    }
    println!("{mode}: {sent} sent, {sent} arrived equal, 0 repeats, 0 dead letters");
    seen
}

#[tokio::test]
async fn a_structured_event_is_passed_on_byte_for_byte() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "bytes").await,
        Topic::create(&broker, "dead").await,
    );
    let text = specimens("same").remove(1).json();
    let record = Record::new(None, Some(text.as_bytes()))
        .header("content-type", "application/cloudevents+json")
        .header("x-named", "goes")
        .header("x-foreign", "stays");
    topic.write([record]).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::to_webhook(&topic, &receiver, &dead).sink("forward_headers = [\"x-named\"]");
    let _bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    until("it arrived", SOON, || receiver.requests() > 0).await;
    let exchange = receiver.exchanges().remove(0);
    assert_eq!(exchange.body, text);
    assert_eq!(exchange.headers["x-named"], "goes");
    assert!(!exchange.headers.contains_key("x-foreign"));
}
