//! Traces, as the OpenTelemetry Collector received them.

use std::collections::{BTreeMap, BTreeSet};

use async_nats::HeaderMap;
use serde_json::Value as Json;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::collector::{Collector, attribute, list};
use crate::support::events::{Numbered, SOURCE, TYPE, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::Stream;
use crate::support::receiver::{Answer, Exchange, Receiver, Script, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::wait::{SOON, eventually};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b9c7c989f97918e1";
const CONSUMER: i64 = 5;
const PRODUCER: i64 = 4;
const ERROR: i64 = 2;

/// By turns none, a sampled one, one that is not sampled, and one that is not valid.
fn traceparent(event: &Numbered) -> Option<String> {
    let flags = match event.number % 4 {
        0 => return None,
        1 => "01",
        2 => "00",
        _ => return Some("00-none".to_owned()),
    };
    Some(format!("00-{TRACE}-{SPAN}-{flags}"))
}

/// In structured mode.
fn json(event: &Numbered) -> String {
    let text = event.json(20);
    match traceparent(event) {
        None => text,
        Some(parent) => {
            let extensions =
                format!(r#""subject":"hush","traceparent":"{parent}","tracestate":"a=1""#);
            text.replacen('{', &format!("{{{extensions},"), 1)
        }
    }
}

/// Refuses the events of `k0`, fails the others twice, and then takes them.
fn fails_twice() -> Script {
    let mut failures = BTreeMap::<String, usize>::new();
    Box::new(move |events| {
        let id = events[0].id();
        let failed = failures.entry(id.to_owned()).or_default();
        *failed += 1;
        match *failed {
            _ if id.starts_with("k0/") => Answer::Status(400),
            1 | 2 => Answer::Status(500),
            _ => Answer::Status(204),
        }
    })
}

/// The bridge has ended, so what it flushed is there.
async fn judge(
    sent: &[Numbered],
    exchanges: &[Exchange],
    collector: &Collector,
    (system, place, route): (&str, &str, &str),
) {
    let is_sampled = |event: &&Numbered| event.number % 4 != 2;
    let sampled: BTreeSet<_> = sent.iter().filter(is_sampled).map(Numbered::id).collect();
    let spans = collector.gets(sampled.len()).await;
    let ids: Vec<_> = spans.iter().map(|(_, span)| id(span)).collect();
    assert_eq!(ids.len(), sampled.len(), "{ids:?}");
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), sampled);
    let mut own_traces = BTreeSet::new();
    for (resource, span) in &spans {
        assert_eq!(attribute(resource, "service.name").unwrap(), "cenl-bridge");
        assert!(attribute(resource, "service.instance.id").is_some());
        let event = Numbered::of_id(&id(span)).unwrap();
        assert_eq!(span["name"], format!("process {place}"));
        assert_eq!(span["kind"], CONSUMER);
        for (key, value) in [
            ("messaging.system", system),
            ("messaging.operation.type", "process"),
            ("messaging.destination.name", place),
            ("cloudevents.event_source", SOURCE),
            ("cloudevents.event_type", TYPE),
            ("cenl.route", route),
        ] {
            assert_eq!(attribute(span, key).as_deref(), Some(value), "{key}");
        }
        if event.number % 4 == 1 {
            let found = [&span["traceId"], &span["parentSpanId"], &span["traceState"]];
            assert_eq!(found, [TRACE, SPAN, "a=1"]);
        } else {
            assert_eq!(span["parentSpanId"].as_str().unwrap_or_default(), "");
            assert!(own_traces.insert(span["traceId"].to_string()), "{span}");
        }
        let came = exchanges
            .iter()
            .filter(|it| it.events[0].id() == event.id());
        is_told(span, &event, came.count());
        assert!(!span.to_string().contains("hush"), "{span}");
    }
}

/// Every attempt is an event, and what failed says why.
fn is_told(span: &Json, event: &Numbered, came: usize) {
    let time = |json: &Json| json.as_str().unwrap().parse::<u64>().unwrap();
    let [began, ended] = ["startTimeUnixNano", "endTimeUnixNano"].map(|key| time(&span[key]));
    let attempts = list(&span["events"]);
    for attempt in attempts {
        assert_eq!(attempt["name"], "attempt");
        let at = time(&attempt["timeUnixNano"]);
        assert!((began..=ended).contains(&at), "{span}");
    }
    let failed = |code: &str| {
        let keys = ["http.response.status_code", "error.type"];
        let is_so = |it: &&Json| {
            keys.iter()
                .all(|key| attribute(it, key).as_deref() == Some(code))
        };
        attempts.iter().filter(is_so).count()
    };
    let letters = attempts.iter();
    let letters = letters.filter(|it| attribute(it, "cenl.dead_letter").is_some());
    let (verdict, status) = (attribute(span, "cenl.verdict").unwrap(), &span["status"]);
    if event.key == "k0" {
        assert_eq!((verdict.as_str(), failed("400")), ("dead_lettered", came));
        assert_eq!((letters.count(), attempts.len()), (1, came + 1), "{span}");
        assert_eq!(status["code"], ERROR);
        assert_eq!(status["message"], "refused: 400");
        assert_eq!(attribute(span, "error.type").unwrap(), "refused");
    } else {
        assert_eq!(
            (verdict.as_str(), failed("500")),
            ("delivered", 2),
            "{span}"
        );
        assert_eq!((letters.count(), attempts.len()), (0, came), "{span}");
        assert_eq!(status.get("code"), None);
    }
}

fn id(span: &Json) -> String {
    attribute(span, "cloudevents.event_id").unwrap_or_default()
}

/// Until all that are not refused have come, and the others are dead letters.
async fn all_settled(bridge: &Bridge, sent: &[Numbered]) {
    eventually("all are settled", 4 * SOON, async || {
        let settled = bridge.metric("cenl_events_total").await;
        (settled == Some(sent.len() as f64)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn events_of_kafka_are_spans_that_continue_their_trace() {
    let (broker, address) = (brokers::kafka(), free_address());
    let collector = Collector::start(address).await;
    let (topic, dead) = (
        Topic::create(&broker, "traced").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(32, 4);
    let receiver = Receiver::start(fails_twice());
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let settings = Settings::new(&broker).connection(&Collector::table(address));
    let bridge = Bridge::start(&settings.route(route)).await;
    let records = sent.iter().map(|event| {
        let record = event.binary_record(20).header("ce_subject", "hush");
        match traceparent(event) {
            None => record,
            Some(parent) => record
                .header("ce_traceparent", &parent)
                .header("ce_tracestate", "a=1"),
        }
    });
    topic.write(records).await;
    all_settled(&bridge, &sent).await;
    bridge.stop().await;
    let exchanges = receiver.exchanges();
    let route = ("kafka", topic.name.as_str(), "to-webhook");
    judge(&sent, &exchanges, &collector, route).await;
    // The extension is that of the start of the trace, and stays as it is.
    for exchange in exchanges {
        let seen = &exchange.events[0];
        let event = Numbered::of_id(seen.id()).unwrap();
        let found = seen.attributes.get("traceparent").cloned();
        assert_eq!(found, traceparent(&event));
    }
}

#[tokio::test]
async fn events_of_a_stream_are_spans_that_continue_their_trace() {
    let (broker, address) = (brokers::kafka(), free_address());
    let collector = Collector::start(address).await;
    let stream = Stream::create(&brokers::nats(), "traced").await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(32, 4);
    let receiver = Receiver::start(fails_twice());
    let route = Route::from_stream(&stream, &receiver, &dead);
    let settings = Settings::new(&broker)
        .nats(&brokers::nats(), "")
        .connection(&Collector::table(address));
    let bridge = Bridge::start(&settings.route(route)).await;
    for event in &sent {
        let mut headers = HeaderMap::new();
        headers.insert("Content-Type", "application/cloudevents+json");
        let subject = stream.subject(&event.key);
        stream.write_one(subject, Some(headers), json(event)).await;
    }
    all_settled(&bridge, &sent).await;
    bridge.stop().await;
    let route = ("nats", stream.name.as_str(), "to-webhook");
    judge(&sent, &receiver.exchanges(), &collector, route).await;
}

#[tokio::test]
async fn what_is_posted_is_a_span_of_a_producer_and_a_refusal_is_its_error() {
    let (broker, address, ingress) = (brokers::kafka(), free_address(), free_address());
    let collector = Collector::start(address).await;
    let topic = Topic::create(&broker, "traced").await;
    let settings = Settings::new(&broker)
        .listen(ingress)
        .connection(&Collector::table(address))
        .route(Route::to_topic("/events", &topic));
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let event = &numbered(5, 1)[1];
    let structured = [("content-type", "application/cloudevents+json")];
    for (body, expected) in [(json(event), 202), ("{}".to_owned(), 400)] {
        let reply = client.post("/events", &structured, body).await.unwrap();
        assert_eq!(reply.status, expected);
    }
    bridge.stop().await;
    let spans = collector.gets(2).await;
    let [delivered, refused] = [0, 1].map(|index| &spans[index].1);
    for span in [delivered, refused] {
        assert_eq!(span["name"], format!("send {}", topic.name));
        assert_eq!(span["kind"], PRODUCER);
        assert_eq!(attribute(span, "messaging.system").unwrap(), "kafka");
    }
    assert_eq!(
        (id(delivered), &delivered["traceId"]),
        (event.id(), &TRACE.into())
    );
    assert_eq!(attribute(refused, "cenl.verdict").unwrap(), "refused");
    assert_eq!(refused["status"]["code"], ERROR);
    assert_eq!(attribute(refused, "error.type").unwrap(), "undecodable");
}

#[tokio::test]
async fn a_collector_that_is_away_holds_up_nothing() {
    let (broker, address) = (brokers::kafka(), free_address());
    let (topic, dead) = (
        Topic::create(&broker, "traced").await,
        Topic::create(&broker, "dead").await,
    );
    // More than the queue and a request hold.
    let sent = numbered(4000, 100);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let settings = Settings::new(&broker)
        .connection(&Collector::table(address))
        .route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    receiver.gets(&sent).await;
    all_settled(&bridge, &sent).await;
    let spans = async |outcome: &str| {
        let name = format!("cenl_spans_total{{outcome=\"{outcome}\"}}");
        bridge.metric(&name).await.unwrap() as usize
    };
    let dropped = spans("dropped").await;
    assert!((1000..2000).contains(&dropped), "{dropped}");
    assert_eq!(spans("exported").await, 0);
    let words = ["WARN", "cause=", "traces cannot be exported"];
    bridge.says(&words).await;
    let collector = Collector::start(address).await;
    collector.gets(sent.len() - dropped).await;
    bridge
        .says(&["INFO", "traces are exported again", "dropped="])
        .await;
    eventually("all are counted", SOON, async || {
        (spans("exported").await == sent.len() - dropped).then_some(())
    })
    .await;
    let log = bridge.log();
    assert_eq!(log.matches("traces cannot be exported").count(), 1, "{log}");
    drop(collector);
    let last = numbered(4001, 100).pop().unwrap();
    topic.write([last.record(20)]).await;
    receiver.gets(&[sent, vec![last]].concat()).await;
    // Nobody takes what is flushed, and the bridge ends all the same.
    bridge.stop().await;
}
