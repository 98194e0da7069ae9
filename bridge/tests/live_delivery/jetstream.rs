//! Kafka and HTTP to NATS: what a stream stores, and what it refuses.

mod core;

use async_nats::jetstream::stream::Config;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::{Numbered, numbered};
use crate::support::flow::Feeder;
use crate::support::kafka::Topic;
use crate::support::nats::Server;
use crate::support::settings::{Route, Settings, free_address};
use crate::support::specimens::{Data, Specimen, specimens};
use crate::support::streams::{Stored, Stream};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};
use crate::support::wire::{self, Mode, Seen};

const STRUCTURED: [(&str, &str); 1] = [("content-type", "application/cloudevents+json")];

fn sink(stream: &Stream) -> String {
    let Stream { name, subject, .. } = stream;
    format!("nats = \"main\"\nsubject = \"{subject}\"\nstream = \"{name}\"\n")
}

fn dead_letter(topic: &Topic) -> String {
    format!("kafka = \"main\"\ntopic = \"{}\"\n", topic.name)
}

fn seen(stored: &Stored) -> Seen {
    wire::of_nats(&stored.headers, &stored.payload)
}

fn ids(stored: &[Stored]) -> Vec<String> {
    let ids = stored.iter().map(|stored| seen(stored).id().to_owned());
    ids.collect()
}

async fn holds(stream: &Stream, count: usize) {
    eventually("the stream has them", SOON, async || {
        (stream.len().await >= count).then_some(())
    })
    .await;
}

#[tokio::test]
async fn kafka_to_jetstream_changes_nothing() {
    for mode in ["structured", "binary", "as-received"] {
        kafka_to_jetstream(mode).await;
    }
}

async fn kafka_to_jetstream(mode: &str) {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let (topic, dead) = (
        Topic::create(&broker, "to-nats").await,
        Topic::create(&broker, "dead").await,
    );
    let stream = Stream::create(&server, mode).await;
    let (structured, binary) = (specimens("structured"), specimens("binary"));
    let records = structured.iter().map(Specimen::structured_record);
    topic
        .write(records.chain(binary.iter().map(Specimen::binary_record)))
        .await;
    let route = Route::from_topic(&topic, &sink(&stream), &dead_letter(&dead))
        .sink(&format!("mode = \"{mode}\""));
    let settings = Settings::new(&broker).nats(&server, "");
    let bridge = Bridge::start(&settings.route(route)).await;
    let all: Vec<_> = structured.iter().chain(&binary).collect();
    holds(&stream, all.len()).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    assert_eq!(dead.len().await, 0);
    let stored = stream.read().await;
    assert_eq!(stored.len(), all.len());
    for specimen in all {
        let mut found = stored.iter();
        let stored = found.find(|stored| seen(stored).id() == specimen.id());
        let (stored, seen) = (stored.unwrap(), seen(stored.unwrap()));
        specimen.is_equal_to(&seen, true);
        let is_binary = mode == "binary" || mode == "as-received" && specimen.id().starts_with("b");
        // Data that is there and empty goes structured.
        let is_told = specimen.bytes().is_none_or(|bytes| !bytes.is_empty());
        assert_eq!(seen.mode == Mode::Binary, is_binary && is_told, "{seen:?}");
        let id = stored.text("Nats-Msg-Id").unwrap();
        assert!(id.len() == 64 && id.bytes().all(|digit| digit.is_ascii_hexdigit()));
    }
    println!("Kafka to JetStream, {mode}: {} arrived equal", stored.len());
}

#[tokio::test]
async fn http_to_jetstream_changes_nothing_and_answers_when_it_is_stored() {
    let server = brokers::nats();
    for mode in ["structured", "binary"] {
        let (stream, ingress) = (Stream::create(&server, mode).await, free_address());
        let bridge = Bridge::start(&from_http(&server, ingress, &stream, mode)).await;
        let client = Client::new(ingress);
        for (index, specimen) in specimens(mode).iter().enumerate() {
            let reply = if index % 2 == 0 {
                client.post("/events", &STRUCTURED, specimen.json()).await
            } else {
                let headers = specimen.http_headers();
                let headers: Vec<_> = headers.iter().map(|(n, v)| (&**n, &**v)).collect();
                let body = specimen.bytes().unwrap_or_default();
                client.post("/events", &headers, body).await
            };
            let reply = reply.unwrap();
            assert!(reply.status.is_success(), "{}", reply.text());
            assert_eq!(stream.len().await, index + 1);
        }
        bridge.stop().await;
        let all = specimens(mode).into_iter().zip(stream.read().await);
        for (index, (mut specimen, stored)) in all.enumerate() {
            // HTTP has no empty data in binary mode.
            if index % 2 == 1 && specimen.data == Data::Text(String::new()) {
                specimen.data = Data::None;
            }
            specimen.is_equal_to(&seen(&stored), true);
        }
    }
}

fn from_http(server: &str, ingress: std::net::SocketAddr, stream: &Stream, mode: &str) -> Settings {
    let route = Route::from_webhook("/events", &sink(stream)).sink(&format!("mode = \"{mode}\""));
    Settings::new(&brokers::kafka())
        .nats(server, "")
        .listen(ingress)
        .route(route)
}

#[tokio::test]
async fn a_repeated_event_is_stored_once_and_counted() {
    let (server, ingress) = (brokers::nats(), free_address());
    let stream = Stream::create(&server, "repeats").await;
    let bridge = Bridge::start(&from_http(&server, ingress, &stream, "structured")).await;
    let client = Client::new(ingress);
    let event = numbered(2, 1);
    for event in [&event[0], &event[1], &event[0], &event[0]] {
        let reply = client.post("/events", &STRUCTURED, event.json(50)).await;
        assert!(reply.unwrap().status.is_success());
    }
    assert_eq!(ids(&stream.read().await), ["k0/0", "k0/1"]);
    for (outcome, count) in [("duplicate", 2.0), ("delivered", 2.0)] {
        eventually("the metrics say so", SOON, async || {
            let name =
                format!("cenl_attempts_total{{route=\"from-webhook\",outcome=\"{outcome}\"}}");
            (bridge.metric(&name).await == Some(count)).then_some(())
        })
        .await;
    }
    bridge.stop().await;
}

#[tokio::test]
async fn a_stream_that_is_not_the_one_or_not_there_holds_the_route() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let (topic, dead) = (
        Topic::create(&broker, "held").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(20, 4);
    topic.write(sent.iter().map(|event| event.record(50))).await;
    let (other, absent) = (
        Stream::create(&server, "other").await,
        Stream::named(&server, "absent").await,
    );
    // The subject of one stream and the name of another.
    let crossed = Stream {
        name: other.name.clone(),
        subject: absent.subject.clone(),
        client: other.client.clone(),
    };
    let settings = |stream: &Stream| {
        Settings::new(&broker)
            .nats(&server, "")
            .route(Route::from_topic(
                &topic,
                &sink(stream),
                &dead_letter(&dead),
            ))
    };
    let bridge = Bridge::start(&settings(&absent)).await;
    bridge.says(&["destination refuses us", "no-stream"]).await;
    bridge.stop().await;
    absent.make(Config::default()).await;
    let bridge = Bridge::start(&settings(&crossed)).await;
    bridge
        .says(&["destination refuses us", "wrong-stream"])
        .await;
    bridge
        .says(&["does not listen on what the route writes"])
        .await;
    bridge.stop().await;
    assert_eq!((absent.len().await, other.len().await), (0, 0));
    assert_eq!(
        (dead.len().await, topic.lag(&topic.name).await),
        (0, sent.len())
    );
    let bridge = Bridge::start(&settings(&absent)).await;
    holds(&absent, sent.len()).await;
    bridge.stop().await;
    Verdict::of("held", &sent, &ids(&absent.read().await), &[]).is_clean();
}

#[tokio::test]
async fn an_event_that_is_too_large_is_refused_and_the_others_go_on() {
    let (broker, server, ingress) = (brokers::kafka(), brokers::nats(), free_address());
    let (topic, dead) = (
        Topic::create(&broker, "large").await,
        Topic::create(&broker, "dead").await,
    );
    let stream = Stream::named(&server, "small").await;
    let config = Config {
        max_message_size: 2_000,
        ..Config::default()
    };
    stream.make(config).await;
    let sent = numbered(30, 3);
    let is_large = |event: &Numbered| event.number == 4;
    let record = |event: &Numbered| event.record(if is_large(event) { 4_000 } else { 100 });
    topic.write(sent.iter().map(record)).await;
    let settings = Settings::new(&broker)
        .nats(&server, "")
        .limits("event_bytes = 4000000")
        .listen(ingress)
        .route(Route::from_topic(
            &topic,
            &sink(&stream),
            &dead_letter(&dead),
        ))
        .route(Route::from_webhook("/events", &sink(&stream)));
    let bridge = Bridge::start(&settings).await;
    holds(&stream, 27).await;
    eventually("the others are dead letters", SOON, async || {
        (dead.len().await >= 3).then_some(())
    })
    .await;
    // Larger than what the server takes at all.
    let event = &numbered(1, 1)[0];
    let body = event.json(1_500_000);
    let reply = Client::new(ingress)
        .post("/events", &STRUCTURED, body)
        .await;
    assert_eq!(reply.unwrap().status, 413);
    bridge.stop().await;
    let letters = dead.read().await;
    for letter in &letters {
        assert_eq!(letter.text("cenl-status").as_deref(), Some("too-large"));
    }
    let stored = ids(&stream.read().await);
    Verdict::of("too large", &sent, &stored, &wire::ids(&letters)).is_clean();
}

#[tokio::test]
async fn a_server_that_stops_and_starts_gets_every_event_once() {
    let (broker, mut server) = (brokers::kafka(), Server::start("").await);
    let (topic, dead) = (
        Topic::create(&broker, "restart").await,
        Topic::create(&broker, "dead").await,
    );
    let stream = Stream::create(&server.address(), "restart").await;
    let route = Route::from_topic(&topic, &sink(&stream), &dead_letter(&dead));
    let settings = Settings::new(&broker)
        .nats(&server.address(), "")
        .route(route);
    let feeder = Feeder::start(&topic, 20);
    let bridge = Bridge::start(&settings).await;
    for end in [Server::stop, Server::kill] {
        let goal = stream.len().await + 500;
        holds(&stream, goal).await;
        end(&mut server);
        server.again().await;
    }
    let goal = stream.len().await + 500;
    holds(&stream, goal).await;
    let sent = feeder.finish().await;
    holds(&stream, sent.len()).await;
    bridge.stop().await;
    assert_eq!((dead.len().await, topic.lag(&topic.name).await), (0, 0));
    // What was sent again after a lost answer is not stored again.
    let stored = ids(&stream.read().await);
    Verdict::of("restarted server", &sent, &stored, &[]).is_clean();
}

#[tokio::test]
async fn forwarded_headers_that_nats_cannot_carry_arrive_all_the_same() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let (topic, dead) = (
        Topic::create(&broker, "odd").await,
        Topic::create(&broker, "dead").await,
    );
    let stream = Stream::create(&server, "odd").await;
    let sent = numbered(2, 1);
    let mut odd = sent[0].record(10);
    let headers: [(&str, Option<&[u8]>); 4] = [
        ("x-odd", Some(b"1\r\nNats-Msg-Id: x\r\n\r\n")),
        ("x-odd", None),
        ("x-odd", Some(b"\xff")),
        ("x-even", Some(b"2")),
    ];
    for (name, value) in headers {
        let value = value.map(<[u8]>::to_vec);
        odd.headers.push((name.to_owned(), value));
    }
    topic.write([odd, sent[1].record(10)]).await;
    let route = Route::from_topic(&topic, &sink(&stream), &dead_letter(&dead))
        .sink("forward_headers = [\"x-odd\", \"x-even\"]");
    let settings = Settings::new(&broker).nats(&server, "");
    let bridge = Bridge::start(&settings.route(route)).await;
    holds(&stream, sent.len()).await;
    bridge.stop().await;
    assert_eq!((dead.len().await, topic.lag(&topic.name).await), (0, 0));
    let stored = stream.read().await;
    Verdict::of("odd headers", &sent, &ids(&stored), &[]).is_clean();
    assert_eq!(stored[0].text("x-even"), Some("2"));
    assert_eq!(
        stored[0].text("cenl-headers"),
        Some("x-odd=1%0D%0ANats-Msg-Id:%20x%0D%0A%0D%0A&x-odd&x-odd=%FF")
    );
    assert_eq!(stored[1].text("cenl-headers"), None);
}
