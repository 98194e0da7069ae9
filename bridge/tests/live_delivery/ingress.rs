//! HTTP to Kafka: in every mode, answered only once the broker has it.

mod limits;

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker};
use crate::support::client::{Client, Reply};
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::specimens::{Specimen, specimens};
use crate::support::wait::{SOON, eventually};
use crate::support::wire::{self, Mode};

const STRUCTURED: &str = "application/cloudevents+json; charset=utf-8";
const BATCHED: &str = "application/cloudevents-batch+json";

/// A bridge with one ingress, `/events`, that writes to one topic.
struct Scene {
    topic: Topic,
    client: Client,
    bridge: Bridge,
}

impl Scene {
    async fn new(broker: &Broker, sink: &str) -> Self {
        let topic = Topic::create(broker, "ingress").await;
        let ingress = free_address();
        let route = Route::to_topic("/events", &topic).sink(sink);
        let settings = Settings::new(broker).listen(ingress).route(route);
        Self {
            topic,
            client: Client::new(ingress),
            bridge: Bridge::start(&settings).await,
        }
    }

    async fn post(&self, content_type: &str, body: impl Into<bytes::Bytes>) -> Reply {
        let headers = [("content-type", content_type)];
        self.client.post("/events", &headers, body).await.unwrap()
    }

    async fn post_binary(&self, specimen: &Specimen) -> Reply {
        let headers = specimen.http_headers();
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let body = specimen.bytes().unwrap_or_default();
        self.client.post("/events", &headers, body).await.unwrap()
    }
}

#[tokio::test]
async fn binary_records_hold_what_was_posted_in_every_mode() {
    every_mode("mode = \"binary\"", Mode::Binary).await;
}

#[tokio::test]
async fn structured_records_hold_what_was_posted_in_every_mode() {
    every_mode("mode = \"structured\"", Mode::Structured).await;
}

async fn every_mode(sink: &str, mode: Mode) {
    let scene = Scene::new(&brokers::kafka(), sink).await;
    let (structured, binary, batched) = (
        specimens("structured"),
        specimens("binary"),
        specimens("batched"),
    );
    let mut posted = 0;
    for specimen in &structured {
        let reply = scene.post(STRUCTURED, specimen.json()).await;
        assert!(
            reply.status.is_success(),
            "{}: {}",
            specimen.id(),
            reply.text()
        );
        posted += 1;
        assert_eq!(
            scene.topic.len().await,
            posted,
            "2xx before the record was there"
        );
    }
    for specimen in &binary {
        let reply = scene.post_binary(specimen).await;
        assert!(
            reply.status.is_success(),
            "{}: {}",
            specimen.id(),
            reply.text()
        );
    }
    let elements: Vec<_> = batched.iter().map(Specimen::json).collect();
    let reply = scene
        .post(BATCHED, format!("[{}]", elements.join(" ,\n")))
        .await;
    assert!(reply.status.is_success(), "{}", reply.text());
    posted += binary.len() + batched.len();
    let records = scene.topic.read().await;
    assert_eq!(records.len(), posted, "records without a cause, or lost");
    for specimen in structured.iter().chain(&binary).chain(&batched) {
        let found = records
            .iter()
            .find(|record| wire::of_record(record).id() == specimen.id());
        let record = found.unwrap();
        let seen = wire::of_record(record);
        assert_eq!(seen.mode, mode);
        let came_as_binary = specimen.id().starts_with("binary");
        let is_empty = specimen.bytes().is_some_and(|bytes| bytes.is_empty());
        if came_as_binary && is_empty {
            // HTTP has no empty data: what was posted is an event without data.
            assert_eq!(seen.data, None);
        } else {
            specimen.is_equal_to(&seen, false);
        }
        let key = specimen
            .attributes
            .get("partitionkey")
            .map(|key| key.clone().into_bytes());
        assert_eq!(
            record.key,
            key,
            "{}: the key is partitionkey or none",
            specimen.id()
        );
    }
    scene.bridge.stop().await;
    println!("HTTP to Kafka, {mode:?}: {posted} sent, {posted} arrived equal, 0 repeats");
}

#[tokio::test]
async fn the_record_key_is_another_attribute_only_on_request() {
    let scene = Scene::new(&brokers::kafka(), "key = \"subject\"").await;
    for specimen in specimens("key") {
        assert!(
            scene
                .post(STRUCTURED, specimen.json())
                .await
                .status
                .is_success()
        );
    }
    for record in scene.topic.read().await {
        let subject = record.text("ce_subject");
        assert_eq!(record.key, subject.map(String::into_bytes));
    }
}

#[tokio::test]
async fn many_senders_at_once_lose_nothing() {
    let scene = Scene::new(&brokers::kafka(), "").await;
    let sent = numbered(2_000, 16);
    let tasks = (0..16).map(|sender| {
        let own: Vec<_> = sent.iter().skip(sender).step_by(16).cloned().collect();
        let client = scene.client.clone();
        tokio::spawn(async move {
            for event in own {
                let headers = [("content-type", STRUCTURED)];
                let reply = client
                    .post("/events", &headers, event.json(300))
                    .await
                    .unwrap();
                assert!(reply.status.is_success(), "{}", reply.text());
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    scene.bridge.stop().await;
    let records = scene.topic.read().await;
    let mut ids = wire::ids(&records);
    ids.sort_unstable();
    let mut expected: Vec<_> = sent.iter().map(|event| event.id()).collect();
    expected.sort_unstable();
    assert!(
        ids == expected,
        "{} records for {} events",
        ids.len(),
        expected.len()
    );
    println!(
        "16 senders: {} sent, {} records, 0 lost, 0 repeats",
        expected.len(),
        ids.len()
    );
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_with_a_reason() {
    let scene = Scene::new(&brokers::kafka(), "").await;
    let good = numbered(3, 1);
    let broken_batch = format!("[{},{{\"specversion\":\"1.0\"}}]", good[0].json(10));
    let torn_batch = format!("[{},{}", good[0].json(10), good[1].json(10));
    let too_large = "x".repeat(2 << 20);
    let too_large =
        format!(r#"{{"specversion":"1.0","id":"1","source":"s","type":"t","data":"{too_large}"}}"#);
    for (content_type, body, status) in [
        (
            STRUCTURED,
            "{\"specversion\":\"1.0\",\"id\":".to_owned(),
            400,
        ),
        (
            STRUCTURED,
            r#"{"specversion":"1.0","id":"1","source":"s"}"#.to_owned(),
            400,
        ),
        (STRUCTURED, String::new(), 400),
        (BATCHED, broken_batch, 400),
        (BATCHED, torn_batch, 400),
        (BATCHED, good[0].json(10), 400),
        ("application/json", good[0].json(10), 415),
        ("application/cloudevents+avro", "x".to_owned(), 415),
        (STRUCTURED, too_large, 413),
    ] {
        let reply = scene.post(content_type, body).await;
        let text = reply.text();
        assert_eq!(reply.status, status, "{content_type}: {text}");
        let problem = reply.header("content-type").unwrap();
        assert_eq!(problem, "application/problem+json", "{text}");
        let problem: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(problem["status"], status);
        assert!(problem["title"].is_string());
    }
    // Of a refused batch nothing is sent, and the bridge goes on.
    assert_eq!(scene.topic.len().await, 0);
    assert!(
        scene
            .post(STRUCTURED, good[2].json(10))
            .await
            .status
            .is_success()
    );
    assert_eq!(scene.topic.len().await, 1);
    scene.bridge.stop().await;
}

/// The destination takes nothing: what was answered with 503 still lies in the client of Kafka.
#[tokio::test]
async fn bytes_in_flight_are_given_back_when_the_exchange_ends_and_not_at_the_answer() {
    let ingress = free_address();
    let nobody = free_address().to_string();
    let route = Route::from_webhook("/events", "kafka = \"main\"\ntopic = \"away\"\n")
        .source("deadline = \"200ms\"\nbytes_in_flight = 1000000")
        .sink("message_timeout = \"4s\"");
    let settings = Settings::over(&nobody, "").listen(ingress).route(route);
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let post = async |padding| {
        let headers = [("content-type", STRUCTURED)];
        let event = numbered(1, 1).remove(0).json(padding);
        let reply = client.post("/events", &headers, event).await.unwrap();
        assert_eq!(reply.status, 503);
        let problem: serde_json::Value = serde_json::from_str(&reply.text()).unwrap();
        problem["detail"].as_str().unwrap().to_owned()
    };
    const LATE: &str = "not acknowledged in time; repeat the request";
    assert_eq!(post(700_000).await, LATE);
    assert_eq!(post(700_000).await, "too many bytes in flight");
    // Where there is room for it, a smaller one is let in beside.
    assert_eq!(post(1_000).await, LATE);
    eventually("the exchange ends", SOON, async || {
        (post(700_000).await == LATE).then_some(())
    })
    .await;
    bridge.stop().await;
}

#[tokio::test]
async fn events_of_one_batch_arrive_in_the_order_of_their_key() {
    let (broker, ingress) = (brokers::kafka(), free_address());
    let receiver = Receiver::start(first([Answer::Status(500), Answer::Status(500)]));
    let route = Route::between_webhooks("/events", &receiver);
    let settings = Settings::new(&broker).listen(ingress).route(route);
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(40, 4);
    let events: Vec<_> = sent.iter().map(|event| event.json(10)).collect();
    let headers = [("content-type", BATCHED)];
    let batch = format!("[{}]", events.join(","));
    let reply = Client::new(ingress).post("/events", &headers, batch).await;
    assert_eq!(reply.unwrap().status, 202);
    bridge.stop().await;
    let exchanges = receiver.exchanges();
    for key in ["k0", "k1", "k2", "k3"] {
        let accepted = exchanges.iter().filter(|exchange| exchange.accepted);
        let ids =
            accepted.flat_map(|exchange| exchange.events.iter().map(|event| event.id().to_owned()));
        let ids: Vec<_> = ids.filter(|id| id.starts_with(key)).collect();
        let expected: Vec<_> = (0..10).map(|number| format!("{key}/{number}")).collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test]
async fn a_retired_destination_is_told_to_senders_at_once() {
    let (broker, ingress) = (brokers::kafka(), free_address());
    let receiver = Receiver::start(always(Answer::Status(410)));
    let route = Route::between_webhooks("/events", &receiver).source("deadline = \"10m\"");
    let settings = Settings::new(&broker).listen(ingress).route(route);
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    // It takes two to believe it.
    for (event, expected) in numbered(4, 1).iter().zip([502, 502, 503, 503]) {
        let headers = [("content-type", STRUCTURED)];
        let post = client.post("/events", &headers, event.json(10));
        let reply = tokio::time::timeout(SOON, post).await;
        assert_eq!(reply.unwrap().unwrap().status, expected);
    }
    assert_eq!(receiver.requests(), 2);
    bridge.stop().await;
}
