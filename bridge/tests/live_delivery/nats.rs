//! From NATS: JetStream streams, at least once and in order, and core subjects, at most once.

mod auth_callout;
mod authentication;
mod changed;
mod connection_lost;
mod core;
mod draining;
mod durable;
mod faults;
mod fenced;
mod hostile;
mod offset_lost;
mod refused;
mod sharing;
mod unreadable;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::{Stream, binary_headers};
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

    /// A bridge that has delivered these events, and acknowledged them.
    async fn settles(&self, events: &[Numbered]) -> Bridge {
        self.stream.write(events, 50).await;
        let bridge = Bridge::start(&self.settings).await;
        self.receiver.gets(events).await;
        self.stream.is_drained("bridge").await;
        bridge
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

fn without_order(route: Route) -> Route {
    route.own("order = \"none\"")
}

async fn stays_unready(bridge: &Bridge) {
    eventually("it is not ready", SOON, async || {
        (!bridge.is_ready().await).then_some(())
    })
    .await;
    for _ in 0..100 {
        assert!(!bridge.is_ready().await, "it counts as joined");
    }
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

#[tokio::test]
async fn a_subject_that_the_stream_does_not_listen_on_is_told() {
    let told = "consumer: the stream does not listen on what is taken";
    unheard(|route| route.source("subject = \"un.heard.>\""), 1, told).await;
    let told = "will be made, but the stream does not listen on 1 of 2 subjects";
    let change = |route: Route| route.source("subjects = [\"*.k0\", \"un.heard.>\"]");
    unheard(change, 0, told).await;
}

async fn unheard(change: fn(Route) -> Route, code: i32, told: &str) {
    let scene = Scene::new("unheard", 1, 1, always(Answer::Status(204)), change).await;
    let said = run("check-config", &scene.settings, &["--check-connections"]).await;
    let out = said.ends_with(code).out;
    assert!(out.contains(told), "{out}");
    let bridge = Bridge::start(&scene.settings).await;
    bridge.says(&["WARN", "the stream does not listen"]).await;
    bridge.stop().await;
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

/// What was held is told to be in progress, so a server that waits two seconds does not send it again.
#[tokio::test]
async fn what_is_held_longer_than_ack_wait_is_not_delivered_twice() {
    fn short(route: Route) -> Route {
        route.source("ack_wait = \"2s\"").own("in_flight = 4")
    }
    let script = always(Answer::Slow(std::time::Duration::from_millis(2500)));
    let scene = Scene::new("held", 16, 8, script, short).await;
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
