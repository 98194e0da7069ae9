//! The broker stops and is killed in mid-flow, and comes back. It is a broker of this test alone.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::exclusive::alone;
use crate::support::flow::{Feeder, Senders};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, until};
use crate::support::wire;

#[tokio::test]
async fn a_broker_that_goes_and_comes_back_loses_nothing_either_way() {
    let _turn = alone().await;
    let broker = brokers::private("live-faults");
    let (topic, target, dead) = (
        Topic::create(&broker, "broker").await,
        Topic::create(&broker, "target").await,
        Topic::create(&broker, "dead").await,
    );
    let receiver = Receiver::start(always(Answer::Status(204)));
    let ingress = free_address();
    let settings = Settings::new(&broker)
        .listen(ingress)
        .route(Route::to_webhook(&topic, &receiver, &dead))
        .route(Route::to_topic("/events", &target));
    let mut bridge = Bridge::start(&settings).await;
    let feeder = Feeder::start(&topic, 100);
    let senders = Senders::start(&Client::new(ingress), "/events", 4);
    let flows = async || {
        let (out, in_) = (receiver.accepted_count() + 1_000, senders.accepted() + 100);
        until("both routes flow", 2 * SOON, || {
            receiver.accepted_count() >= out && senders.accepted() >= in_
        })
        .await;
    };
    flows().await;
    broker.stop();
    let refused = senders.unavailable();
    until("senders are told to come back", SOON, || {
        senders.unavailable() >= refused + 4
    })
    .await;
    assert!(bridge.is_alive().await);
    broker.start();
    flows().await;
    broker.kill();
    broker.start();
    flows().await;
    let (sent, posted) = (feeder.finish().await, senders.finish().await);
    receiver.gets(&sent).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    assert_eq!(dead.len().await, 0);
    Verdict::of("broker, outward", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    let records = target.read().await;
    let ids = wire::ids(&records);
    let inward = Verdict::of("broker, inward", &posted.events, &ids, &[]);
    inward.keeps_the_promise();
}
