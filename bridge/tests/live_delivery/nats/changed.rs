//! Consumers that somebody changes while a route reads, and streams that limit them.

use std::time::Duration;

use async_nats::jetstream::consumer::Config;
use async_nats::jetstream::stream::{self, ConsumerLimits};

use super::{Scene, unchanged, without_order};
use crate::support::bridge::Bridge;
use crate::support::nats::{Server, Stream, binary_headers};
use crate::support::receiver::{Answer, always};
use crate::support::settings::Route;
use crate::support::wait::{SOON, eventually};

impl Scene {
    pub(super) async fn change(&self, change: impl FnOnce(&mut Config)) {
        let mut config = self.stream.consumer("bridge").await.config;
        change(&mut config);
        let context = &self.stream.context;
        let stream = context.get_stream(&self.stream.name).await.unwrap();
        stream.create_consumer(config).await.unwrap();
    }

    pub(super) async fn change_stream(&self, change: impl FnOnce(&mut stream::Config)) {
        let context = &self.stream.context;
        let stream = context.get_stream(&self.stream.name).await.unwrap();
        let mut config = stream.cached_info().config.clone();
        change(&mut config);
        context.update_stream(config).await.unwrap();
    }
}

/// Its messages have no body: none of them is taken for an event.
#[tokio::test]
async fn a_consumer_that_is_to_give_headers_alone_is_put_right() {
    let beside = |route: Route| without_order(route.source("ack_wait = \"1s\""));
    for change in [unchanged, beside] {
        headers_alone(change).await;
    }
}

async fn headers_alone(change: fn(Route) -> Route) {
    let scene = Scene::new("headers", 60, 60, always(Answer::Status(204)), change).await;
    let (early, late) = scene.sent.split_at(30);
    let bridge = scene.settles(early).await;
    scene.change(|config| config.headers_only = true).await;
    scene.stream.write(late, 50).await;
    scene.receiver.gets(&scene.sent).await;
    bridge
        .says(&["WARN", "the consumer is changed", "headers_only"])
        .await;
    scene.verdict("headers alone", bridge).await.is_clean();
}

/// Anybody may write the header that tells of it.
#[tokio::test]
async fn a_message_that_only_looks_as_if_its_body_were_left_out_is_taken() {
    let scene = Scene::new("no-body", 6, 2, always(Answer::Status(204)), unchanged).await;
    for event in &scene.sent {
        let mut headers = binary_headers(event, "ce-datacontenttype");
        headers.insert("Nats-Msg-Size", "7");
        let subject = scene.stream.subject(&event.key);
        let (stream, headers) = (&scene.stream, Some(headers));
        stream.write_one(subject, headers, String::new()).await;
    }
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("no body", bridge).await.is_clean();
}

/// What it passed is told, and comes where somebody has it come again.
#[tokio::test]
async fn what_a_consumer_with_other_subjects_passed_is_told() {
    for ends_first in [false, true] {
        narrowed(ends_first).await;
    }
}

/// The session may end before it looks at the consumer.
async fn narrowed(ends_first: bool) {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "narrowed").await;
    let scene = Scene::over(stream, 60, 2, always(Answer::Status(204)), unchanged).await;
    let (early, late) = scene.sent.split_at(20);
    let bridge = scene.settles(early).await;
    let one = scene.stream.subject("k0");
    scene.change(|config| config.filter_subject = one).await;
    scene.stream.write(late, 50).await;
    if ends_first {
        scene.stream.is_drained("bridge").await;
        server.stop();
        server.again().await;
    }
    bridge
        .says(&["ERROR", "changed the subjects of the consumer"])
        .await;
    bridge
        .says(&["WARN", "the consumer is changed", "filter_subject"])
        .await;
    eventually("what may be lost is counted", SOON, async || {
        let lost = bridge.metric("cenl_messages_lost_total").await?;
        (lost >= 1.0).then_some(())
    })
    .await;
    scene.stream.reset("bridge", 1).await;
    // What was passed over comes late, and so out of the order of its key.
    scene.receiver.gets(&scene.sent).await;
    bridge.stop().await;
}

#[tokio::test]
async fn without_order_what_is_in_flight_while_the_subjects_are_put_right_comes_once() {
    let change = |route: Route| without_order(route.source("ack_wait = \"2s\""));
    let script = always(Answer::Status(204));
    let scene = Scene::new("narrowed-beside", 60, 2, script, change).await;
    let (early, late) = scene.sent.split_at(20);
    let bridge = scene.settles(early).await;
    scene.receiver.follow(always(Answer::Status(503)));
    let one = scene.stream.subject("k0");
    scene.change(|config| config.filter_subject = one).await;
    scene.stream.write(late, 50).await;
    bridge.says(&["ERROR", "changed the subjects"]).await;
    bridge.says(&["WARN", "the consumer is changed"]).await;
    scene.receiver.follow(always(Answer::Status(204)));
    scene.stream.is_drained("bridge").await;
    let verdict = scene.verdict("in flight meanwhile", bridge).await;
    assert_eq!(verdict.repeats, 0, "{verdict}");
}

/// The place is forgotten after that time; with fewer events than the window takes, there is no consumer.
#[tokio::test]
async fn limits_of_the_stream_for_its_consumers_are_told() {
    let scene = Scene::new("limited", 30, 3, always(Answer::Status(204)), unchanged).await;
    let limits = |max_ack_pending| {
        Some(ConsumerLimits {
            inactive_threshold: Duration::from_secs(3600),
            max_ack_pending,
        })
    };
    scene
        .change_stream(|config| config.consumer_limits = limits(100))
        .await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::spawn(&scene.settings);
    bridge
        .says(&["WARN", "interrupted", "lower window_events"])
        .await;
    scene
        .change_stream(|config| config.consumer_limits = limits(0))
        .await;
    scene.receiver.gets(&scene.sent).await;
    bridge
        .says(&["WARN", "consumer_limits", "inactive_threshold"])
        .await;
    let log = bridge.log();
    assert!(!log.contains("the consumer is changed"), "{log}");
    scene.verdict("limited", bridge).await.is_clean();
}
