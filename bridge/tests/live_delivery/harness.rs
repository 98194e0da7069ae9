//! The harness itself: a judge that cannot say no is worth nothing.

use std::net::SocketAddr;

use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, first};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};
use crate::support::wire;

#[test]
fn the_judge_sees_loss_disorder_repeats_and_strangers() {
    let sent = numbered(6, 2);
    let judge = |arrivals: &[&str], dead: &[&str]| {
        let owned = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        Verdict::of("harness", &sent, &owned(arrivals), &owned(dead))
    };
    let complete = ["k0/0", "k1/0", "k0/1", "k1/1", "k0/2", "k1/2"];
    judge(&complete, &[]).is_clean();
    judge(&complete[..5], &["k1/2"]).is_clean();
    let fails = |arrivals: &[&str]| {
        let verdict = judge(arrivals, &[]);
        std::panic::catch_unwind(|| verdict.keeps_the_promise()).is_err()
    };
    assert!(fails(&complete[..5]), "loss");
    assert!(
        fails(&["k0/1", "k0/0", "k0/2", "k1/0", "k1/1", "k1/2"]),
        "disorder"
    );
    assert!(
        fails(&["x/0", "k0/0", "k1/0", "k0/1", "k1/1", "k0/2", "k1/2"]),
        "stranger"
    );
    let mut repeated = complete.to_vec();
    repeated.push("k0/0");
    assert!(!fails(&repeated));
    assert_eq!(judge(&repeated, &[]).repeats, 1);
}

#[tokio::test]
async fn the_receiver_sees_who_comes_before_a_retry_after_is_over() {
    let receiver = Receiver::start(first([Answer::RetryAfter(503, 60)]));
    let url: hyper::Uri = receiver.url().parse().unwrap();
    let address: SocketAddr = url.authority().unwrap().as_str().parse().unwrap();
    let client = Client::new(address);
    let event = numbered(1, 1).remove(0);
    let headers = [("content-type", "application/cloudevents+json")];
    let post = async || {
        client
            .post(url.path(), &headers, event.json(10))
            .await
            .unwrap()
            .status
    };
    assert_eq!(post().await, 503);
    // Too soon, until the receiver counts it: not within the time in which requests cross.
    eventually("a hurried request", SOON, async || {
        assert_eq!(post().await, 204);
        (receiver.hurried() > 0).then_some(())
    })
    .await;
    assert!(receiver.accepted().iter().all(|id| *id == event.id()));
}

#[tokio::test]
async fn what_is_written_to_a_topic_is_read_back() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "harness").await;
    let sent = numbered(100, 10);
    let records = sent.iter().map(|event| match event.number % 2 {
        0 => event.record(50),
        _ => event.binary_record(50),
    });
    topic.write(records).await;
    let read = topic.read().await;
    let ids = wire::ids(&read);
    Verdict::of("harness", &sent, &ids, &[]).is_clean();
    assert_eq!(topic.lag("nobody").await, sent.len());
}
