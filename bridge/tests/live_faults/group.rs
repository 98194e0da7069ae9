//! Two bridges share a topic as one group; one leaves in order, joins again, and one is killed.

use std::time::Duration;

use tokio::time::Instant;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::Numbered;
use crate::support::exclusive::alone;
use crate::support::flow::Feeder;
use crate::support::kafka::{PARTITIONS, Topic};
use crate::support::receiver::{Answer, Receiver};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, until};

const WINDOW: usize = 100;

#[tokio::test]
async fn two_bridges_hand_partitions_over_without_loss_or_disorder() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "group").await,
        Topic::create(&broker, "dead").await,
    );
    let receiver = Receiver::start(Box::new(|_| {
        Answer::Slow(Duration::from_millis(fastrand::u64(1..15)))
    }));
    let route =
        Route::to_webhook(&topic, &receiver, &dead).own(&format!("window_events = {WINDOW}"));
    let first = Settings::new(&broker).route(route);
    let feeder = Feeder::start(&topic, 100);
    let takes_part = async |path: &str| {
        let goal = receiver.requests_to(path) + 500;
        until(&format!("{path} takes part"), SOON, || {
            receiver.requests_to(path) >= goal
        })
        .await;
    };
    let one = Bridge::start(&first).await;
    takes_part("/hook").await;
    let two = Bridge::start(&first.posting_to("/two")).await;
    takes_part("/two").await;
    takes_part("/hook").await;
    one.stop().await;
    takes_part("/two").await;
    let three = Bridge::start(&first.posting_to("/three")).await;
    takes_part("/three").await;
    takes_part("/two").await;
    let orderly = receiver.accepted();
    let fifth = Instant::now() - Duration::from_millis(200);
    two.kill();
    let flowed = receiver.accepted_since(fifth);
    takes_part("/three").await;
    let sent = feeder.finish().await;
    receiver.gets(&sent).await;
    three.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    assert_eq!(dead.len().await, 0);
    let verdict = Verdict::of("two bridges", &sent, &receiver.accepted(), &[]);
    verdict.keeps_the_promise();
    let so_far: Vec<_> = orderly
        .iter()
        .filter_map(|id| Numbered::of_id(id))
        .collect();
    let before_the_kill = Verdict::of("before the kill", &so_far, &orderly, &[]);
    assert_eq!(
        before_the_kill.repeats, 0,
        "joining and leaving in order repeats nothing"
    );
    let allowed = WINDOW * usize::try_from(PARTITIONS).unwrap() + flowed;
    assert!(verdict.repeats <= allowed, "{verdict}; {allowed} allowed");
}

#[tokio::test]
async fn joining_and_leaving_all_the_time_repeats_nothing() {
    let _turn = alone().await;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "storm").await,
        Topic::create(&broker, "dead").await,
    );
    let receiver = Receiver::start(Box::new(|_| {
        Answer::Slow(Duration::from_millis(fastrand::u64(1..15)))
    }));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let stays = Bridge::start(&settings).await;
    let feeder = Feeder::start(&topic, 100);
    for round in 0..5 {
        let guest = Bridge::start(&settings.posting_to("/guest")).await;
        // Sometimes in the middle of the next rebalance, sometimes behind it.
        let goal = receiver.requests_to("/guest") + round * 50;
        until("the guest takes part", SOON, || {
            receiver.requests_to("/guest") >= goal
        })
        .await;
        guest.stop().await;
    }
    let sent = feeder.finish().await;
    receiver.gets(&sent).await;
    stays.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    Verdict::of("guests come and go", &sent, &receiver.accepted(), &[]).is_clean();
}
