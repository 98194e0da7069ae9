//! Streams that acknowledge what they do not keep.

use async_nats::jetstream;
use async_nats::jetstream::stream::{Config, RetentionPolicy};
use serde_json::Value;

use super::{holds, place, topics};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::numbered;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::streams::{Stored, Stream};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

/// Dead letters wait until somebody has made it one that keeps them.
async fn keeps_no_dead_letters(word: &str, config: Config) {
    let (server, (topic, _)) = (brokers::nats(), topics("forgetful").await);
    let stream = Stream::named(&server, "forgetful").await;
    stream.make(config).await;
    let sent = numbered(3, 3);
    topic.write(sent.iter().map(|event| event.record(50))).await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let sink = format!("url = \"{}\"\n", receiver.url());
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .route(Route::from_topic(&topic, &sink, &place(&stream)));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["ERROR", &stream.name, word]).await;
    let unwritable = "dead letter cannot be written";
    bridge.says(&["ERROR", unwritable, "stream-forgets"]).await;
    assert_eq!((stream.len().await, topic.lag(&topic.name).await), (0, 3));
    let context = jetstream::new(stream.client.clone());
    context.delete_stream(&stream.name).await.unwrap();
    stream.make(Config::default()).await;
    holds(&stream, 3).await;
    eventually("all are settled", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    let id = |letter: &Stored| {
        let event: Value = serde_json::from_slice(&letter.payload).unwrap();
        event["id"].as_str().unwrap().to_owned()
    };
    let letters: Vec<_> = stream.read().await.iter().map(id).collect();
    assert_eq!(letters.len(), 3, "{letters:?}");
    Verdict::of(word, &sent, &[], &letters).is_clean();
}

#[tokio::test]
async fn a_stream_that_keeps_what_consumers_ask_for_keeps_no_dead_letters() {
    let config = Config {
        retention: RetentionPolicy::Interest,
        ..Config::default()
    };
    keeps_no_dead_letters("retention is interest", config).await;
}

#[tokio::test]
async fn a_stream_that_keeps_the_latest_of_a_subject_keeps_no_dead_letters() {
    let config = Config {
        max_messages_per_subject: 1,
        ..Config::default()
    };
    keeps_no_dead_letters("max_msgs_per_subject", config).await;
}

/// What was asked for is done, and people are told.
#[tokio::test]
async fn bounds_of_dead_letters_and_events_that_nobody_asks_for_are_told() {
    let (server, (topic, _)) = (brokers::nats(), topics("bounded").await);
    let (stream, dead) = (
        Stream::named(&server, "interest").await,
        Stream::named(&server, "bounded").await,
    );
    let retention = RetentionPolicy::Interest;
    let interest = Config {
        retention,
        ..Config::default()
    };
    stream.make(interest).await;
    let bounded = Config {
        max_messages: 3,
        ..Config::default()
    };
    dead.make(bounded).await;
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .route(Route::from_topic(&topic, &place(&stream), &place(&dead)));
    let bridge = Bridge::start(&settings).await;
    let told = "does not keep all that it acknowledges";
    let interest = "what no consumer asks for";
    bridge.says(&["WARN", &stream.name, told, interest]).await;
    bridge.says(&["WARN", &dead.name, told, "max_msgs"]).await;
    bridge.stop().await;
}
