//! The bridge is asked to end (SIGTERM) in mid-flow.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::exclusive::alone;
use crate::support::flow::Senders;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, until};
use crate::support::wire;

#[tokio::test]
async fn a_drained_stop_repeats_nothing() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "shutdown").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(4_000, 100);
    topic
        .write(sent.iter().map(|event| event.record(200)))
        .await;
    let receiver = Receiver::start(Box::new(|_| {
        Answer::Slow(Duration::from_millis(fastrand::u64(1..20)))
    }));
    let mut settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    for goal in [500, 1_500, 2_500] {
        let mut bridge = Bridge::spawn(&settings);
        until("events flow", SOON, || receiver.accepted_count() >= goal).await;
        bridge.terminate();
        assert_eq!(bridge.exit_code(SOON).await, 0);
        // All that was accepted is committed, and nothing else.
        let left = sent.len() - receiver.accepted_count();
        assert_eq!(topic.lag(&topic.name).await, left);
        settings = settings.another();
    }
    let bridge = Bridge::spawn(&settings);
    receiver.gets(&sent).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    Verdict::of("SIGTERM", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever_for_a_receiver_that_hangs() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "hanging").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(100, 10);
    topic
        .write(sent.iter().map(|event| event.record(200)))
        .await;
    let receiver = Receiver::start(always(Answer::Hang));
    let settings = Settings::new(&broker)
        .limits("shutdown_deadline = \"1s\"")
        .route(Route::to_webhook(&topic, &receiver, &dead));
    let mut bridge = Bridge::start(&settings).await;
    until("requests hang", SOON, || receiver.requests() >= 4).await;
    bridge.terminate();
    // Exchanges were cut off.
    assert_eq!(bridge.exit_code(SOON).await, 1);
    assert_eq!(topic.lag(&topic.name).await, sent.len());
    receiver.follow(always(Answer::Status(204)));
    let bridge = Bridge::spawn(&settings.another());
    receiver.gets(&sent).await;
    bridge.stop().await;
    Verdict::of("SIGTERM while hanging", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn an_ingress_that_stops_answers_what_it_took() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "ingress-shutdown").await;
    let ingress = free_address();
    let mut settings = Settings::new(&broker)
        .listen(ingress)
        .route(Route::to_topic("/events", &topic));
    let senders = Senders::start(&Client::new(ingress), "/events", 8);
    for _ in 0..3 {
        let bridge = Bridge::spawn(&settings);
        let goal = senders.accepted() + 300;
        until("events flow", SOON, || senders.accepted() >= goal).await;
        bridge.stop().await;
        settings = settings.another();
    }
    let bridge = Bridge::start(&settings).await;
    let posted = senders.finish().await;
    bridge.stop().await;
    let records = topic.read().await;
    let ids = wire::ids(&records);
    let verdict = Verdict::of("ingress stopped", &posted.events, &ids, &[]);
    verdict.is_clean();
    assert_eq!(
        ids.iter().collect::<BTreeSet<_>>().len(),
        posted.events.len()
    );
}
