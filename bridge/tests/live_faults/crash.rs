//! The bridge is killed (SIGKILL) at random moments.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::exclusive::alone;
use crate::support::flow::Senders;
use crate::support::kafka::{PARTITIONS, Topic};
use crate::support::receiver::{Answer, Receiver};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, until};
use crate::support::wire;

const EVENTS: usize = 20_000;
const KILLS: usize = 5;
/// Small, so that the bound on repeats means something.
const WINDOW: usize = 100;

#[tokio::test]
async fn kills_lose_nothing_and_repeat_no_more_than_was_uncommitted() {
    let _turn = alone().await;
    let mut random = seeded();
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "crash").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(EVENTS, 400);
    topic
        .write(sent.iter().map(|event| event.record(300)))
        .await;
    let mut slow = random.fork();
    // Slow enough that a fifth of a second is a small part of a life.
    let receiver = Receiver::start(Box::new(move |_| {
        Answer::Slow(Duration::from_millis(slow.u64(5..25)))
    }));
    let route =
        Route::to_webhook(&topic, &receiver, &dead).own(&format!("window_events = {WINDOW}"));
    let mut settings = Settings::new(&broker).route(route);
    // How many had been accepted at the end of each life, and how many in its last fifth of a second.
    let mut lives = Vec::new();
    for _ in 0..KILLS {
        let goal = receiver.arrived() + random.usize(500..EVENTS / (KILLS + 1));
        let bridge = Bridge::spawn(&settings);
        until("events flow", SOON, || receiver.arrived() >= goal).await;
        let fifth = Instant::now() - Duration::from_millis(200);
        bridge.kill();
        lives.push((receiver.accepted_count(), receiver.accepted_since(fifth)));
        receiver.forget_waits();
        settings = settings.another();
    }
    let bridge = Bridge::spawn(&settings);
    receiver.gets(&sent).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    let accepted = receiver.accepted();
    let verdict = Verdict::of("killed", &sent, &accepted, &[]);
    verdict.keeps_the_promise();
    check_repeats(&accepted, &lives, WINDOW);
}

/// As shipped: no property of the connection, no window and no retry of the test's own.
#[tokio::test]
async fn a_kill_with_every_default_loses_nothing_and_is_soon_over() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "defaults").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(12_000, 1_000);
    topic
        .write(sent.iter().map(|event| event.record(300)))
        .await;
    let receiver = Receiver::start(Box::new(|_| Answer::Slow(Duration::from_millis(15))));
    let route = Route::to_webhook(&topic, &receiver, &dead).with_default_retry();
    let settings = Settings::with_defaults(&broker).route(route);
    let bridge = Bridge::spawn(&settings);
    until("events flow", SOON, || receiver.arrived() >= 4_000).await;
    let fifth = Instant::now() - Duration::from_millis(200);
    bridge.kill();
    let life = (receiver.accepted_count(), receiver.accepted_since(fifth));
    let bridge = Bridge::spawn(&settings.another());
    receiver.gets(&sent).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    let accepted = receiver.accepted();
    Verdict::of("defaults", &sent, &accepted, &[]).keeps_the_promise();
    check_repeats(&accepted, &[life], 1_000);
}

/// After each kill come at most the slots above the committed watermark, which are no more than the
/// windows hold, and what flowed since the last commit, which is at most a fifth of a second old.
fn check_repeats(accepted: &[String], lives: &[(usize, usize)], window: usize) {
    let window = window * usize::try_from(PARTITIONS).unwrap();
    let mut seen = BTreeSet::new();
    let mut begin = 0;
    let ends = lives.iter().map(|(end, _)| *end).chain([accepted.len()]);
    for (life, end) in ends.enumerate() {
        let repeats = accepted[begin..end]
            .iter()
            .filter(|id| !seen.insert(*id))
            .count();
        let allowed = match life {
            0 => 0,
            _ => window + lives[life - 1].1,
        };
        println!(
            "life {life}: {} accepted, {repeats} repeats, {allowed} allowed",
            end - begin
        );
        assert!(
            repeats <= allowed,
            "life {life}: {repeats} repeats, {allowed} allowed"
        );
        begin = end;
    }
}

#[tokio::test]
async fn what_an_ingress_accepted_survives_a_kill() {
    let _turn = alone().await;
    let mut random = seeded();
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "ingress-crash").await;
    let ingress = free_address();
    let mut settings = Settings::new(&broker)
        .listen(ingress)
        .route(Route::to_topic("/events", &topic));
    let senders = Senders::start(&Client::new(ingress), "/events", 8);
    for _ in 0..4 {
        let bridge = Bridge::spawn(&settings);
        let goal = senders.accepted() + random.usize(100..600);
        until("events flow", SOON, || senders.accepted() >= goal).await;
        bridge.kill();
        settings = settings.another();
    }
    let bridge = Bridge::start(&settings).await;
    let posted = senders.finish().await;
    bridge.stop().await;
    let records = topic.read().await;
    let ids = wire::ids(&records);
    let verdict = Verdict::of("ingress killed", &posted.events, &ids, &[]);
    verdict.keeps_the_promise();
    // Only what its sender repeated is there twice.
    assert!(verdict.repeats <= posted.repeated.len(), "{verdict}");
}

/// `CENL_SEED` repeats a run.
fn seeded() -> fastrand::Rng {
    let seed =
        std::env::var("CENL_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    println!("CENL_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}
