//! Events handed over on a core subject, and subjects that nobody may write to.

use futures_util::StreamExt;

use super::{STRUCTURED, dead_letter};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::{Numbered, numbered};
use crate::support::flow::Feeder;
use crate::support::kafka::Topic;
use crate::support::nats::{self, Server};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::streams::{Stream, pairs};
use crate::support::wait::{SOON, eventually};
use crate::support::wire;

#[tokio::test]
async fn a_core_subject_has_what_was_answered() {
    let (server, ingress) = (brokers::nats(), free_address());
    let subject = Stream::named(&server, "core").await.subject;
    let client = async_nats::connect(&server).await.unwrap();
    let mut listener = client.subscribe(subject.clone()).await.unwrap();
    client.flush().await.unwrap();
    let lines = format!(
        "nats = \"main\"\nsubject = \"{subject}\"\ndelivery = \"at-most-once\"\nmode = \"binary\"\n"
    );
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .listen(ingress)
        .route(Route::from_webhook("/events", &lines));
    let bridge = Bridge::start(&settings).await;
    let sender = Client::new(ingress);
    let sent = numbered(200, 5);
    let posts = sent.iter().map(async |event| {
        let reply = sender.post("/events", &STRUCTURED, event.json(50)).await;
        assert!(reply.unwrap().status.is_success());
    });
    futures_util::future::join_all(posts).await;
    bridge.stop().await;
    // The server had all of them before the last answer, and forwards in order.
    client.publish(subject, "end".into()).await.unwrap();
    let mut arrived = Vec::new();
    while let Some(message) = listener.next().await {
        if message.payload == "end" {
            break;
        }
        let headers = pairs(&message.headers.unwrap());
        assert!(message.reply.is_none());
        arrived.push(wire::of_nats(&headers, &message.payload).id().to_owned());
    }
    arrived.sort();
    let mut expected: Vec<_> = sent.iter().map(Numbered::id).collect();
    expected.sort();
    assert_eq!(arrived, expected);
}

/// The client of the bridge panics on headers that somebody sends to where its acknowledgements come in.
#[tokio::test]
async fn another_client_goes_on_where_one_panics() {
    let (server, ingress) = (brokers::nats(), free_address());
    let stream = Stream::create(&server, "panic").await;
    let client = async_nats::connect(&server).await.unwrap();
    let mut listener = client.subscribe(stream.subject.clone()).await.unwrap();
    client.flush().await.unwrap();
    let settings = super::from_http(&server, ingress, &stream, "structured");
    let bridge = Bridge::start(&settings).await;
    let sender = Client::new(ingress);
    let sent = numbered(20, 5);
    for (index, event) in sent.iter().enumerate() {
        let reply = sender.post("/events", &STRUCTURED, event.json(50)).await;
        assert!(reply.unwrap().status.is_success());
        if index == 9 {
            let inbox = listener.next().await.unwrap().reply.unwrap();
            let block = b"NATS/1.0\r\nx: a\rb\r\n\r\n";
            nats::write_raw(&server, &*inbox, block, b"poison").await;
            bridge.says(&["ERROR", "the client ended"]).await;
        }
    }
    bridge.stop().await;
    let stored = super::ids(&stream.read().await);
    assert_eq!(stored, sent.iter().map(Numbered::id).collect::<Vec<_>>());
}

/// What may not be written is never taken for handed over: the server says so, but answers no event.
#[tokio::test]
async fn a_subject_that_we_may_not_write_to_holds_the_route() {
    let user = "publish: [\"open.>\", \"_INBOX.>\"]";
    let users = format!("{{ user: u, password: p, permissions: {{ {user} }} }}");
    let server = Server::start(&format!("authorization {{ users: [{users}] }}")).await;
    let ingress = free_address();
    let core = |subject: &str| {
        format!("nats = \"main\"\nsubject = \"{subject}\"\ndelivery = \"at-most-once\"\n")
    };
    let stream = "nats = \"main\"\nsubject = \"closed.s\"\nstream = \"S\"\n";
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "p").unwrap();
    let secrets = format!("user = \"u\"\nsecrets = {{ password = {{ file = {password:?} }} }}");
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), &secrets)
        .listen(ingress)
        .route(Route::from_webhook("/open", &core("open.x")).named("open"))
        .route(Route::from_webhook("/closed", &core("closed.x")).source("deadline = \"10s\""))
        .route(
            Route::from_webhook("/stream", stream)
                .named("stream")
                .source("deadline = \"10s\""),
        );
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let event = &numbered(1, 1)[0];
    for (path, expected) in [("/open", 202), ("/closed", 502), ("/stream", 502)] {
        let reply = client.post(path, &STRUCTURED, event.json(10)).await;
        assert_eq!(reply.unwrap().status, expected, "{path}");
    }
    for route in ["from-webhook", "stream"] {
        let route = format!("route=\"{route}\"");
        bridge
            .says(&["event cannot be delivered", "not-authorised", &route])
            .await;
    }
    bridge.stop().await;
}

#[tokio::test]
async fn a_core_subject_goes_on_after_a_restart() {
    let (broker, mut server) = (brokers::kafka(), Server::start("").await);
    let (topic, dead) = (
        Topic::create(&broker, "core").await,
        Topic::create(&broker, "dead").await,
    );
    let lines = "nats = \"main\"\nsubject = \"core\"\ndelivery = \"at-most-once\"\n";
    let settings = Settings::new(&broker)
        .nats(&server.address(), "")
        .route(Route::from_topic(&topic, lines, &dead_letter(&dead)));
    let feeder = Feeder::start(&topic, 20);
    let bridge = Bridge::start(&settings).await;
    let handed_over = async |count: f64| {
        eventually("events are handed over", SOON, async || {
            let name = "cenl_events_total{route=\"from-topic\",verdict=\"delivered\"}";
            (bridge.metric(name).await? >= count).then_some(())
        })
        .await;
    };
    handed_over(500.0).await;
    server.kill();
    bridge.says(&["nats connection lost"]).await;
    server.again().await;
    let sent = feeder.finish().await;
    handed_over(sent.len() as f64).await;
    bridge.stop().await;
    assert_eq!((dead.len().await, topic.lag(&topic.name).await), (0, 0));
}
