//! What fails or stands still slows nobody else.

use std::iter;
use std::time::Duration;

use crate::scene::Scene;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::wait::{SOON, until};
use crate::support::wire::Seen;

#[tokio::test]
async fn a_key_whose_event_fails_waits_alone() {
    let script = |events: &[Seen]| {
        let is_blocked = events[0].id().starts_with("k0/");
        Answer::Status(if is_blocked { 500 } else { 204 })
    };
    let scene = Scene::new(400, Box::new(script), "").await;
    let bridge = Bridge::start(&scene.settings).await;
    let (blocked, others): (Vec<_>, Vec<_>) = scene
        .sent
        .iter()
        .cloned()
        .partition(|event| event.key == "k0");
    scene.receiver.gets(&others).await;
    let failing = |seen: &Seen| seen.id() == blocked[0].id();
    let attempts = scene.receiver.exchanges();
    let attempts = attempts.iter().filter(|exchange| !exchange.accepted);
    assert!(
        attempts.flat_map(|exchange| &exchange.events).all(failing),
        "overtaken"
    );
    scene.receiver.follow(first([]));
    scene.all_arrived().await;
    scene.verdict("one key waits", bridge).await.is_clean();
}

#[tokio::test]
async fn a_route_that_stands_still_does_not_slow_another() {
    // No more than four are tried before anything is known.
    beside_one_that_stands_still("", 4).await;
}

/// Every partition takes one event after another, whatever the others hold.
#[tokio::test]
async fn nor_where_the_process_may_hold_next_to_nothing() {
    beside_one_that_stands_still("buffered_bytes = 1", 1).await;
}

async fn beside_one_that_stands_still(limits: &str, requests: usize) {
    let mut scene = Scene::new(500, first([]), "").await;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "still").await,
        Topic::create(&broker, "dead").await,
    );
    let still = numbered(3_000, 10);
    topic
        .write(still.iter().map(|event| event.record(200)))
        .await;
    let hanging = Receiver::start(always(Answer::Hang));
    let route = Route::to_webhook(&topic, &hanging, &dead).named("still");
    scene.settings = scene
        .settings
        .limits(&format!("shutdown_deadline = \"1s\"\n{limits}"))
        .route(route);
    let mut bridge = Bridge::start(&scene.settings).await;
    until("the other route stands still", SOON, || {
        hanging.requests() >= requests
    })
    .await;
    scene.all_arrived().await;
    bridge.terminate();
    // It tells whether an exchange was cut off: one was under way, or had just timed out.
    assert!(bridge.exit_code(SOON).await <= 1);
    let verdict = scene.judge("beside a route that stands still").await;
    verdict.is_clean();
    assert_eq!(topic.lag(&topic.name).await, still.len());
}

/// What was fetched and has no room is let go, and fetched again: neither lost nor repeated.
#[tokio::test]
async fn batches_larger_than_what_a_partition_may_hold_arrive_once() {
    let broker = brokers::kafka();
    let topic = Topic::create_wide(broker.plaintext(), "batches", 24).await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(600, 48);
    let records = sent.iter().map(|event| event.record(64 << 10));
    topic.write_in_batches(records, 1_000_000).await;
    let slow = Answer::Slow(Duration::from_millis(400));
    let receiver = Receiver::start(first(iter::repeat_n(slow, 40)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let settings = Settings::new(&broker)
        .limits("buffered_bytes = 8388608")
        .route(route);
    let scene = Scene {
        sent,
        topic,
        dead,
        receiver,
        settings,
    };
    let bridge = Bridge::start(&scene.settings).await;
    scene.all_arrived().await;
    scene.verdict("large batches", bridge).await.is_clean();
}
