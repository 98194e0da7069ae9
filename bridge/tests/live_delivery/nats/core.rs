//! Core subjects: at most once, and no word more than that is promised.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use super::stays_unready;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::{self, unique};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

#[tokio::test]
async fn a_subject_is_read_in_order() {
    let (server, broker) = (brokers::nats(), brokers::kafka());
    let (subject, dead) = (unique("core"), Topic::create(&broker, "dead").await);
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_subject(&format!("{subject}.*"), &receiver, &dead);
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let bridge = Bridge::start(&settings).await;
    let client = nats::client(&server).await;
    let sent = numbered(400, 8);
    // A request: its sender hears nothing from the bridge.
    let mut replies = client.subscribe(format!("{subject}-reply")).await.unwrap();
    for event in &sent {
        let (to, reply) = (
            format!("{subject}.{}", event.key),
            format!("{subject}-reply"),
        );
        client
            .publish_with_reply(to, reply, event.json(100).into())
            .await
            .unwrap();
    }
    client.flush().await.unwrap();
    receiver.gets(&sent).await;
    bridge.stop().await;
    let heard = futures_util::FutureExt::now_or_never(futures_util::StreamExt::next(&mut replies));
    assert!(heard.is_none(), "the bridge answered");
    Verdict::of("a core subject", &sent, &receiver.accepted(), &[]).is_clean();
}

/// Nobody repeats it, so the time of the drain is used.
#[tokio::test]
async fn what_waits_at_a_stop_is_delivered() {
    let (server, broker) = (brokers::nats(), brokers::kafka());
    let (subject, dead) = (unique("core"), Topic::create(&broker, "dead").await);
    let receiver = Receiver::start(always(Answer::Status(500)));
    let route = Route::from_subject(&subject, &receiver, &dead);
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let bridge = Bridge::start(&settings).await;
    // Behind the first of each key stand events that were never tried.
    let sent = numbered(60, 6);
    publish(&server, &subject, &sent).await;
    until("some are tried", SOON, || receiver.requests() > 1).await;
    let recover = async {
        // The stop has long begun, and a sweep was made.
        let (tried, began) = (receiver.requests(), Instant::now());
        until("the attempts go on", SOON, || {
            receiver.requests() > tried && began.elapsed() > Duration::from_secs(2)
        })
        .await;
        receiver.follow(first([]));
    };
    tokio::join!(bridge.stop(), recover);
    Verdict::of("a core subject", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn a_queue_group_shares_a_subject() {
    let (server, broker) = (brokers::nats(), brokers::kafka());
    let (subject, dead) = (unique("queue"), Topic::create(&broker, "dead").await);
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_subject(&subject, &receiver, &dead).source("queue = \"q\"");
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let (one, two) = (settings.posting_to("/one"), settings.posting_to("/two"));
    let (one, two) = (Bridge::start(&one).await, Bridge::start(&two).await);
    // Two members keep no order between them, so each key has one event.
    let sent = numbered(400, 400);
    publish(&server, &subject, &sent).await;
    receiver.gets(&sent).await;
    let (left, right) = (receiver.requests_to("/one"), receiver.requests_to("/two"));
    assert!(left > 0 && right > 0, "{left} and {right}");
    println!("a queue group: {left} and {right}");
    one.stop().await;
    two.stop().await;
    Verdict::of("a queue group", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn what_comes_faster_than_it_is_taken_is_counted_as_lost() {
    let (server, broker) = (brokers::nats(), brokers::kafka());
    let (subject, dead) = (unique("slow"), Topic::create(&broker, "dead").await);
    let receiver = Receiver::start(always(Answer::Slow(Duration::from_millis(20))));
    let route = Route::from_subject(&subject, &receiver, &dead)
        .own("window_events = 20")
        .own("in_flight = 4");
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(2000, 2000);
    publish(&server, &subject, &sent).await;
    bridge.says(&["ERROR", "are lost"]).await;
    // What is neither lost nor there yet is on its way: in the end they are all accounted for.
    let lost = eventually("all are accounted for", SOON, async || {
        let lost = bridge.metric("cenl_messages_lost_total").await?;
        (lost as usize + receiver.accepted_count() == sent.len()).then_some(lost)
    })
    .await;
    assert!(lost > 0.0);
    let arrived: BTreeSet<_> = receiver.accepted().into_iter().collect();
    println!(
        "a slow reader: {} sent, {} arrived, {lost} counted as lost",
        sent.len(),
        arrived.len()
    );
    assert_eq!(arrived.len() + lost as usize, sent.len());
    bridge.stop().await;
}

#[tokio::test]
async fn a_subject_that_we_may_not_read_is_not_joined() {
    let users = "{ user: u, password: p, permissions: { subscribe: { deny: \"closed\" } } }";
    let server = nats::Server::start(&format!("authorization {{ users: [{users}] }}")).await;
    let broker = brokers::kafka();
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "p").unwrap();
    let secrets = format!("user = \"u\"\nsecrets = {{ password = {{ file = {password:?} }} }}");
    let route = Route::from_subject("closed", &receiver, &dead);
    let settings = Settings::new(&broker)
        .nats(&server.address(), &secrets)
        .route(route);
    let bridge = Bridge::spawn(&settings);
    bridge
        .says(&["WARN", "reports an error", "Violation for Subscription"])
        .await;
    stays_unready(&bridge).await;
}

/// The client of the bridge panics on such headers. What comes meanwhile is lost, as it may be here.
#[tokio::test]
async fn another_client_goes_on_where_one_panics() {
    let (server, broker) = (brokers::nats(), brokers::kafka());
    let (subject, dead) = (unique("panic"), Topic::create(&broker, "dead").await);
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::from_subject(&subject, &receiver, &dead);
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(40, 4);
    let (before, after) = sent.split_at(20);
    publish(&server, &subject, before).await;
    receiver.gets(before).await;
    let block = b"NATS/1.0\r\nx: a\rb\r\n\r\n";
    nats::write_raw(&server, &subject, block, b"poison").await;
    bridge.says(&["ERROR", "the client ended"]).await;
    // It is at most once: sent until it is read again.
    eventually("it reads again", SOON, async || {
        publish(&server, &subject, &after[..1]).await;
        (receiver.arrived() > before.len()).then_some(())
    })
    .await;
    publish(&server, &subject, &after[1..]).await;
    receiver.gets(&sent).await;
    bridge.stop().await;
    let mut accepted = receiver.accepted();
    // Only what was sent again comes again.
    accepted.dedup_by(|next, before| next == before && *next == after[0].id());
    Verdict::of("a client that panics", &sent, &accepted, &[]).is_clean();
}

/// Publishes events, and returns when the server has them all.
async fn publish(server: &str, subject: &str, events: &[Numbered]) {
    let client = nats::client(server).await;
    for event in events {
        let payload = event.json(100).into();
        client.publish(subject.to_owned(), payload).await.unwrap();
    }
    client.flush().await.unwrap();
}
