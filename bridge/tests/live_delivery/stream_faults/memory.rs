//! Streams with memory storage: what they acknowledge is lost when their servers stop.

use async_nats::jetstream;
use async_nats::jetstream::stream::{Config, StorageType};

use super::{HELD, attempts, attempts_exceed, holds, ids, place, route, topics};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command;
use crate::support::events::numbered;
use crate::support::kafka::Record;
use crate::support::settings::{Route, Settings};
use crate::support::streams::Stream;
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

/// What it acknowledges is gone when the server stops: that is no delivery, unless somebody says so.
#[tokio::test]
async fn a_stream_in_memory_is_written_only_where_that_is_accepted() {
    let (server, (topic, dead)) = (brokers::nats(), topics("memory").await);
    let stream = Stream::named(&server, "memory").await;
    stream.make(in_memory()).await;
    let sent = numbered(3, 3);
    topic.write(sent.iter().map(|event| event.record(50))).await;
    let settings = Settings::new(&brokers::kafka()).nats(&server, "");
    let refusing = settings.clone().route(route(&topic, &stream, &dead));
    let bridge = Bridge::start(&refusing).await;
    bridge
        .says(&["ERROR", &stream.name, "memory storage", "memory_storage"])
        .await;
    bridge.says(&["ERROR", HELD, "stream-in-memory"]).await;
    bridge.stop().await;
    assert_eq!((stream.len().await, dead.len().await), (0, 0));
    let accepting = route(&topic, &stream, &dead).sink("memory_storage = \"accepted\"");
    let bridge = Bridge::start(&settings.another().route(accepting)).await;
    holds(&stream, 3).await;
    bridge.stop().await;
    let stored = ids(&stream.read().await);
    Verdict::of("memory accepted", &sent, &stored, &[]).is_clean();
}

/// A stream that was missing at the start, and is made in memory, takes nothing for good either.
#[tokio::test]
async fn a_stream_that_is_made_in_memory_later_delivers_nothing() {
    let (server, (topic, dead)) = (brokers::nats(), topics("later").await);
    let stream = Stream::named(&server, "later").await;
    let sent = numbered(3, 3);
    topic.write(sent.iter().map(|event| event.record(50))).await;
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .route(route(&topic, &stream, &dead));
    let bridge = Bridge::start(&settings).await;
    attempts_exceed(&bridge, "un", 0.0).await;
    stream.make(in_memory()).await;
    bridge
        .says(&["ERROR", &stream.name, "memory storage"])
        .await;
    assert_eq!(attempts(&bridge, "delivered").await, 0.0);
    bridge.stop().await;
    assert_eq!((topic.lag(&topic.name).await, dead.len().await), (3, 0));
}

/// A stream on disk is deleted and made anew in memory under a running bridge: what that one acknowledges
/// is not delivered.
async fn is_remade_in_memory(word: &str, is_missed: bool) {
    let (server, (topic, dead)) = (brokers::nats(), topics(word).await);
    let stream = Stream::create(&server, word).await;
    let context = jetstream::new(stream.client.clone());
    let sent = numbered(12, 3);
    let write = |numbers: std::ops::Range<usize>| {
        topic.write(sent[numbers].iter().map(|event| event.record(50)))
    };
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .route(route(&topic, &stream, &dead));
    let bridge = Bridge::start(&settings).await;
    write(0..6).await;
    eventually("the first are settled", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    let first = ids(&stream.read().await);
    context.delete_stream(&stream.name).await.unwrap();
    if is_missed {
        write(6..7).await;
        attempts_exceed(&bridge, "unreachable", 0.0).await;
    }
    stream.make(in_memory()).await;
    write(if is_missed { 7..9 } else { 6..9 }).await;
    bridge
        .says(&["ERROR", &stream.name, "memory storage"])
        .await;
    bridge.says(&["ERROR", HELD, "stream-in-memory"]).await;
    // Metrics are told of twice a second.
    eventually("the first are counted", SOON, async || {
        (attempts(&bridge, "delivered").await >= 6.0).then_some(())
    })
    .await;
    assert_eq!(attempts(&bridge, "delivered").await, 6.0);
    assert_eq!(attempts(&bridge, "duplicate").await, 0.0);
    context.delete_stream(&stream.name).await.unwrap();
    stream.make(Config::default()).await;
    write(9..12).await;
    holds(&stream, 6).await;
    eventually("all are settled", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(dead.len().await, 0);
    let stored = [first, ids(&stream.read().await)].concat();
    Verdict::of(word, &sent, &stored, &[]).is_clean();
}

#[tokio::test]
async fn a_stream_that_was_missed_and_is_remade_in_memory_delivers_nothing() {
    is_remade_in_memory("missed", true).await;
}

/// No event found it missing.
#[tokio::test]
async fn a_stream_that_is_remade_in_memory_at_once_delivers_nothing() {
    is_remade_in_memory("at-once", false).await;
}

#[tokio::test]
async fn dead_letters_never_go_to_a_stream_in_memory() {
    let (server, (topic, sink)) = (brokers::nats(), topics("letters").await);
    let stream = Stream::named(&server, "letters").await;
    stream.make(in_memory()).await;
    topic.write([Record::new(None, Some(b"no event"))]).await;
    let sink = format!("kafka = \"main\"\ntopic = \"{}\"\n", sink.name);
    let route = |letters: &str| {
        let letters = place(&stream) + letters;
        let settings = Settings::new(&brokers::kafka()).nats(&server, "");
        settings.route(Route::from_topic(&topic, &sink, &letters))
    };
    let bridge = Bridge::start(&route("")).await;
    bridge
        .says(&[
            "ERROR",
            &stream.name,
            "memory storage",
            "but for dead letters",
        ])
        .await;
    bridge.stop().await;
    assert_eq!((stream.len().await, topic.lag(&topic.name).await), (0, 1));
    let accepting = route("memory_storage = \"accepted\"\n");
    let refused = command::run("check-config", &accepting, &[]).await;
    let errors = refused.ends_with(64).errors;
    assert!(errors.contains("not stored for good"), "{errors}");
}

fn in_memory() -> Config {
    Config {
        storage: StorageType::Memory,
        ..Config::default()
    }
}
