//! From NATS: JetStream streams, at least once and in order, and core subjects, at most once.

mod authentication;
mod core;
mod faults;
mod hostile;
mod offset_lost;
mod sharing;

use futures_util::StreamExt;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::{self, Stream, binary_headers};
use crate::support::receiver::{Answer, Receiver, Script, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

/// A stream with events on their way to a receiver.
struct Scene {
    sent: Vec<Numbered>,
    stream: Stream,
    dead: Topic,
    receiver: Receiver,
    settings: Settings,
}

impl Scene {
    /// On the shared server.
    async fn new(
        word: &str,
        events: usize,
        keys: usize,
        script: Script,
        change: fn(Route) -> Route,
    ) -> Self {
        let server = brokers::nats();
        let stream = Stream::create(&server, word).await;
        Self::over(stream, events, keys, script, change).await
    }

    async fn over(
        stream: Stream,
        events: usize,
        keys: usize,
        script: Script,
        change: fn(Route) -> Route,
    ) -> Self {
        let broker = brokers::kafka();
        let dead = Topic::create(&broker, "dead").await;
        let sent = numbered(events, keys);
        let receiver = Receiver::start(script);
        let route = change(Route::from_stream(&stream, &receiver, &dead));
        let settings = Settings::new(&broker).nats(&stream.server, "").route(route);
        Self {
            sent,
            stream,
            dead,
            receiver,
            settings,
        }
    }

    /// Ends the bridge and judges.
    async fn verdict(&self, title: &str, bridge: Bridge) -> Verdict {
        bridge.stop().await;
        assert_eq!(self.dead.len().await, 0, "{title}: dead letters");
        self.stream.is_drained("bridge").await;
        Verdict::of(title, &self.sent, &self.receiver.accepted(), &[])
    }
}

fn unchanged(route: Route) -> Route {
    route
}

#[tokio::test]
async fn every_dialect_of_nats_is_read() {
    let scene = Scene::new("dialects", 400, 8, always(Answer::Status(204)), unchanged).await;
    for (index, event) in scene.sent.iter().enumerate() {
        let subject = scene.stream.subject(&event.key);
        let structured = || {
            let mut headers = async_nats::HeaderMap::new();
            headers.insert(
                "content-type",
                "application/cloudevents+json; charset=utf-8",
            );
            headers
        };
        let data = || format!(r#"{{"number":{}}}"#, event.number);
        let (headers, body) = match index / 8 % 4 {
            0 => (Some(structured()), event.json(100)),
            // As before binary mode: a JSON event alone.
            1 => (None, event.json(100)),
            // As the binding says.
            2 => (Some(binary_headers(event, "ce-datacontenttype")), data()),
            // As one SDK writes it.
            _ => (Some(binary_headers(event, "Content-Type")), data()),
        };
        scene.stream.write_one(subject, headers, body).await;
    }
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    for seen in scene.receiver.events() {
        let content_type = seen.attributes.get("datacontenttype").map(String::as_str);
        assert_eq!(content_type, Some("application/json"), "{}", seen.id());
    }
    scene.verdict("NATS dialects", bridge).await.is_clean();
}

#[tokio::test]
async fn several_subjects_are_taken_and_the_others_left() {
    let mut scene = Scene::new("subjects", 300, 6, always(Answer::Status(204)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let line = format!("subjects = [\"{0}.k1\", \"{0}.k4\"]", scene.stream.prefix);
    let route = Route::from_stream(&scene.stream, &scene.receiver, &scene.dead).source(&line);
    scene.settings = Settings::new(&brokers::kafka())
        .nats(&scene.stream.server, "")
        .route(route);
    scene
        .sent
        .retain(|event| matches!(&*event.key, "k1" | "k4"));
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("several subjects", bridge).await.is_clean();
}

/// The client ends its connection on such a message, and on each redelivery.
#[tokio::test]
async fn headers_that_no_client_reads_go_to_the_dead_letters() {
    let scene = Scene::new("poison", 60, 6, always(Answer::Status(204)), unchanged).await;
    let (stream, (before, after)) = (&scene.stream, scene.sent.split_at(30));
    stream.write(before, 50).await;
    let blocks: [&[u8]; 3] = [
        b"NATS/1.0\r\nce-id: kept\r\nce-type: \xff\xfe\r\n\r\n",
        b"NATS/1.0\r\nno colon here\r\n\r\n",
        b"NATS/1.0\r\nce-source: a\xe9\r\n\r\n",
    ];
    nats::write_raw(
        &stream.server,
        &stream.subject("k0"),
        blocks[0],
        b"{\"kept\": \x00true}",
    )
    .await;
    nats::write_raw(&stream.server, &stream.subject("k0"), blocks[1], b"second").await;
    stream.write(&after[..10], 50).await;
    nats::write_raw(&stream.server, &stream.subject("k1"), blocks[2], b"").await;
    stream.write(&after[10..], 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    eventually("the others are dead letters", SOON, async || {
        (scene.dead.len().await >= blocks.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    stream.is_drained("bridge").await;
    Verdict::of(
        "unreadable headers",
        &scene.sent,
        &scene.receiver.accepted(),
        &[],
    )
    .is_clean();
    let letters = scene.dead.read().await;
    let mut bodies: Vec<_> = letters
        .iter()
        .map(|letter| letter.value.clone().unwrap())
        .collect();
    bodies.sort();
    assert_eq!(
        bodies,
        [
            b"".to_vec(),
            b"second".to_vec(),
            b"{\"kept\": \x00true}".to_vec()
        ]
    );
    for letter in &letters {
        assert_eq!(letter.text("cenl-kind").as_deref(), Some("undecodable"));
        let place = letter.text("cenl-source").unwrap();
        assert!(
            place.starts_with(&format!("nats:{}/", stream.name)),
            "{place}"
        );
    }
    let kept = letters
        .iter()
        .find(|letter| letter.value.as_deref() == Some(b"{\"kept\": \x00true}"));
    assert_eq!(kept.unwrap().text("ce-id").as_deref(), Some("kept"));
}

/// The same where nobody keeps an order and the server sends it again when it is due.
#[tokio::test]
async fn headers_that_no_client_reads_hold_up_nobody_without_order() {
    fn without_order(route: Route) -> Route {
        route.own("order = \"none\"").source("ack_wait = \"2s\"")
    }
    let scene = Scene::new("poison", 60, 6, always(Answer::Status(204)), without_order).await;
    let stream = &scene.stream;
    stream.write(&scene.sent[..30], 50).await;
    let block = b"NATS/1.0\r\nce-id: \xff\r\n\r\n";
    nats::write_raw(&stream.server, &stream.subject("k0"), block, b"poison").await;
    stream.write(&scene.sent[30..], 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    eventually("the other one is a dead letter", SOON, async || {
        (scene.dead.len().await >= 1).then_some(())
    })
    .await;
    bridge.stop().await;
    stream.is_drained("bridge").await;
    // A connection that breaks takes what was on its way along; some of it may have arrived.
    let arrivals: std::collections::BTreeSet<_> = scene.receiver.accepted().into_iter().collect();
    assert_eq!(arrivals.len(), scene.sent.len());
    println!(
        "unreadable header without order: {} sent, {} arrived, 1 dead letter",
        scene.sent.len(),
        arrivals.len()
    );
}

/// No other message helps this process to its place.
#[tokio::test]
async fn headers_that_no_client_reads_are_found_where_nothing_else_is() {
    fn short(route: Route) -> Route {
        route.source("ack_wait = \"2s\"")
    }
    let scene = Scene::new("alone", 0, 1, always(Answer::Status(204)), short).await;
    let stream = &scene.stream;
    let block = b"NATS/1.0\r\nce-id: \xff\r\n\r\n";
    nats::write_raw(&stream.server, &stream.subject("k0"), block, b"poison").await;
    let bridge = Bridge::start(&scene.settings).await;
    eventually("it is a dead letter", 2 * SOON, async || {
        (scene.dead.len().await >= 1).then_some(())
    })
    .await;
    bridge.stop().await;
    stream.is_drained("bridge").await;
    println!("an unreadable header alone: 1 sent, 1 dead letter");
}

#[tokio::test]
async fn a_consumer_that_no_server_changes_is_refused_with_both_values() {
    let scene = Scene::new("unfit", 1, 1, always(Answer::Status(204)), unchanged).await;
    let config = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("bridge".to_owned()),
        ack_policy: async_nats::jetstream::consumer::AckPolicy::All,
        ..Default::default()
    };
    let context = &scene.stream.context;
    context
        .create_consumer_on_stream(config, &scene.stream.name)
        .await
        .unwrap();
    let bridge = Bridge::spawn(&scene.settings);
    bridge
        .says(&[
            "route ended by itself",
            "ack_policy is all, needed is explicit",
        ])
        .await;
    println!("an unfit consumer: refused");
}

/// A durable of an earlier version, or of a route without an order, with a part of the stream behind
/// it and a part given out.
#[tokio::test]
async fn a_durable_that_is_there_is_changed_and_keeps_its_place() {
    let scene = Scene::new("changed", 60, 6, always(Answer::Status(204)), unchanged).await;
    let (old, rest) = scene.sent.split_at(20);
    scene.stream.write(old, 50).await;
    let config = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("bridge".to_owned()),
        deliver_policy: async_nats::jetstream::consumer::DeliverPolicy::New,
        max_deliver: 5,
        max_ack_pending: 7,
        ..Default::default()
    };
    let context = &scene.stream.context;
    let consumer = context
        .create_consumer_on_stream(config, &scene.stream.name)
        .await
        .unwrap();
    scene.stream.write(rest, 50).await;
    let mut given = consumer.fetch().max_messages(7).messages().await.unwrap();
    for number in 0..7 {
        let message = given.next().await.unwrap().unwrap();
        if number < 3 {
            message.double_ack().await.unwrap();
        }
    }
    let bridge = Bridge::start(&scene.settings).await;
    for setting in ["max_deliver", "max_ack_pending", "priority", "ack_wait"] {
        bridge
            .says(&["WARN", "the consumer is changed", setting])
            .await;
    }
    scene.receiver.gets(&rest[3..]).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    let accepted = scene.receiver.accepted();
    Verdict::of("a durable changed", &rest[3..], &accepted, &[]).is_clean();
}

#[tokio::test]
async fn a_consumer_that_is_deleted_ends_the_route_with_a_word() {
    let scene = Scene::new("deleted", 50, 5, always(Answer::Status(204)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    scene.stream.is_drained("bridge").await;
    let stream = scene
        .stream
        .context
        .get_stream(&scene.stream.name)
        .await
        .unwrap();
    stream.delete_consumer("bridge").await.unwrap();
    bridge
        .says(&["route ended by itself", "consumer bridge was deleted"])
        .await;
    println!("a deleted consumer: the route ended and said why");
}

/// Its sequences are those of messages that were delivered before, and mean others.
#[tokio::test]
async fn a_stream_that_is_made_anew_under_its_name_is_read_from_the_beginning() {
    let scene = Scene::new("anew", 200, 5, always(Answer::Status(204)), unchanged).await;
    let (before, after) = scene.sent.split_at(100);
    scene.stream.write(before, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(before).await;
    let context = &scene.stream.context;
    let mut stream = context.get_stream(&scene.stream.name).await.unwrap();
    let config = stream.info().await.unwrap().config.clone();
    let durable = scene.stream.consumer("bridge").await.config;
    context.delete_stream(&scene.stream.name).await.unwrap();
    let stream = context.create_stream(config).await.unwrap();
    let durable = async_nats::jetstream::consumer::pull::Config {
        durable_name: durable.durable_name,
        ack_wait: durable.ack_wait,
        max_ack_pending: durable.max_ack_pending,
        max_deliver: durable.max_deliver,
        priority_policy: durable.priority_policy,
        priority_groups: durable.priority_groups,
        priority_timeout: durable.priority_timeout,
        ..Default::default()
    };
    stream.create_consumer(durable).await.unwrap();
    scene.stream.write(after, 50).await;
    bridge.says(&["the consumer was made anew"]).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a stream made anew", bridge).await.is_clean();
}

#[tokio::test]
async fn a_large_message_passes_a_small_window() {
    fn small(route: Route) -> Route {
        route.own("window_bytes = 4096").own("window_events = 20")
    }
    let scene = Scene::new("large", 40, 4, always(Answer::Status(204)), small).await;
    for (index, event) in scene.sent.iter().enumerate() {
        let padding = if index % 5 == 0 { 400_000 } else { 300 };
        scene
            .stream
            .write(std::slice::from_ref(event), padding)
            .await;
    }
    let bridge = Bridge::start(&scene.settings).await;
    until("all arrived", SOON, || {
        scene.receiver.accepted_count() >= scene.sent.len()
    })
    .await;
    scene
        .verdict("large messages, small window", bridge)
        .await
        .is_clean();
}

/// What was held is told to be in progress, so a server that waits a second does not send it again.
#[tokio::test]
async fn what_is_held_longer_than_ack_wait_is_not_delivered_twice() {
    fn short(route: Route) -> Route {
        route.source("ack_wait = \"1s\"").own("in_flight = 4")
    }
    let script = always(Answer::Slow(std::time::Duration::from_millis(1500)));
    let scene = Scene::new("held", 24, 8, script, short).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    let info = scene.stream.consumer("bridge").await;
    assert_eq!(info.num_redelivered, 0, "the server sent something again");
    scene
        .verdict("held longer than ack_wait", bridge)
        .await
        .is_clean();
}
