//! Several bridges on one durable consumer.

use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::TryStreamExt;
use tokio::time::Instant;

use super::{Scene, unchanged, without_order};
use crate::support::bridge::Bridge;
use crate::support::receiver::{Answer, always};
use crate::support::settings::Route;
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

const SLOW: Answer = Answer::Slow(Duration::from_millis(5));

#[tokio::test]
async fn with_order_one_reads_and_the_other_takes_over() {
    let scene = Scene::new("pinned", 3000, 30, always(SLOW), unchanged).await;
    let (one, two) = (
        scene.settings.posting_to("/one"),
        scene.settings.posting_to("/two"),
    );
    let one = Bridge::start(&one).await;
    scene.stream.write(&scene.sent[..10], 100).await;
    until("the first one reads", SOON, || {
        scene.receiver.arrived() >= 10
    })
    .await;
    let two = Bridge::start(&two).await;
    let write = scene.stream.write(&scene.sent[10..], 100);
    // Before all is written, so that something is left for the other one.
    let kill = async {
        until("events flow", SOON, || scene.receiver.arrived() >= 1000).await;
        assert_eq!(scene.receiver.requests_to("/two"), 0, "both read");
        one.kill();
    };
    tokio::join!(write, kill);
    until("the other one takes over", 2 * SOON, || {
        scene.receiver.requests_to("/two") > 0
    })
    .await;
    scene.receiver.gets(&scene.sent).await;
    let (left, right) = (
        scene.receiver.requests_to("/one"),
        scene.receiver.requests_to("/two"),
    );
    println!("a killed reader and its successor: {left} and {right} requests");
    scene
        .verdict("two bridges with order", two)
        .await
        .keeps_the_promise();
}

/// The window is full and nothing is asked for, for longer than a reader may be silent.
#[tokio::test]
async fn a_reader_whose_receiver_is_down_keeps_its_place() {
    fn small(route: Route) -> Route {
        route.own("window_events = 50")
    }
    // Unlike 503, it closes nothing: every lane goes on trying.
    let script = always(Answer::Status(500));
    let scene = Scene::new("stalled", 500, 5, script, small).await;
    scene.stream.write(&scene.sent, 100).await;
    let one = Bridge::start(&scene.settings.posting_to("/one")).await;
    until("it is tried", SOON, || scene.receiver.requests() > 20).await;
    let two = Bridge::start(&scene.settings.posting_to("/two")).await;
    let pin = async || {
        let info = scene.stream.consumer("bridge").await;
        info.priority_groups[0].pinned_client_id.clone()
    };
    let first = pin().await;
    assert!(first.is_some());
    let tried = scene.receiver.requests();
    // Five lanes that wait up to half a second each: longer than a place is kept unasked.
    until("it is tried for long", 3 * SOON, || {
        scene.receiver.requests() > tried + 200
    })
    .await;
    assert_eq!(pin().await, first, "another process reads");
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    scene.receiver.gets(&scene.sent).await;
    assert_eq!(scene.receiver.requests_to("/two"), 0);
    two.stop().await;
    scene.verdict("a stalled receiver", one).await.is_clean();
}

/// The server gives nobody a message while as many wait for an acknowledgement as it allows, and the
/// pin only with a message: who takes over has the consumer reset.
#[tokio::test]
async fn a_standby_takes_over_a_full_window_within_ten_seconds() {
    fn small(route: Route) -> Route {
        route.own("window_events = 50")
    }
    let scene = Scene::new("full", 500, 5, always(Answer::Status(503)), small).await;
    scene.stream.write(&scene.sent, 100).await;
    let one = Bridge::start(&scene.settings.posting_to("/one")).await;
    let two = Bridge::start(&scene.settings.posting_to("/two")).await;
    until("it is tried", SOON, || scene.receiver.requests() > 0).await;
    eventually("the window is full", SOON, async || {
        let waiting = scene.stream.consumer("bridge").await.num_ack_pending;
        (waiting == 50).then_some(())
    })
    .await;
    let (dead, path) = match scene.receiver.requests_to("/one") {
        0 => (two, "/one"),
        _ => (one, "/two"),
    };
    assert_eq!(scene.receiver.requests_to(path), 0, "both read");
    dead.kill();
    let killed = Instant::now();
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    until("the other one takes over", SOON, || {
        scene.receiver.requests_to(path) > 0
    })
    .await;
    let took = killed.elapsed();
    println!("a full window was taken over after {took:?}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    scene.receiver.gets(&scene.sent).await;
    scene.stream.is_drained("bridge").await;
    Verdict::of(
        "a full window",
        &scene.sent,
        &scene.receiver.accepted(),
        &[],
    )
    .is_clean();
}

#[tokio::test]
async fn a_bridge_that_stops_gives_its_place_up_at_once() {
    let scene = Scene::new("handover", 3000, 4, always(SLOW), unchanged).await;
    // Few lanes, so that there is something left to take over.
    scene.stream.write(&scene.sent[..100], 100).await;
    let (one, two) = (
        scene.settings.posting_to("/one"),
        scene.settings.posting_to("/two"),
    );
    let one = Bridge::start(&one).await;
    until("the first one reads", SOON, || {
        scene.receiver.arrived() >= 100
    })
    .await;
    let two = Bridge::start(&two).await;
    // It stops before all is written, so that something is left for the other one.
    let write = scene.stream.write(&scene.sent[100..], 100);
    tokio::join!(write, one.stop());
    scene.receiver.gets(&scene.sent).await;
    assert!(scene.receiver.requests_to("/two") > 0);
    scene.verdict("a place given up", two).await.is_clean();
}

#[tokio::test]
async fn without_order_both_read() {
    // Each key has one event: there is no order to keep.
    let scene = Scene::new("shared", 2000, 2000, always(SLOW), without_order).await;
    let (one, two) = (
        scene.settings.posting_to("/one"),
        scene.settings.posting_to("/two"),
    );
    let (one, two) = (Bridge::start(&one).await, Bridge::start(&two).await);
    scene.stream.write(&scene.sent, 100).await;
    scene.receiver.gets(&scene.sent).await;
    let (left, right) = (
        scene.receiver.requests_to("/one"),
        scene.receiver.requests_to("/two"),
    );
    assert!(left > 100 && right > 100, "{left} and {right}");
    println!("two readers without order: {left} and {right}");
    one.stop().await;
    two.stop().await;
    scene.stream.is_drained("bridge").await;
    Verdict::of(
        "two bridges without order",
        &scene.sent,
        &scene.receiver.accepted(),
        &[],
    )
    .is_clean();
}

/// What somebody took and does not settle comes again after `ack_wait`: until then it waits as well.
#[tokio::test]
async fn without_order_what_others_have_taken_counts_as_lag() {
    let script = always(Answer::Status(204));
    let scene = Scene::new("given-out", 6, 6, script, without_order).await;
    Bridge::start(&scene.settings).await.stop().await;
    scene.stream.write(&scene.sent, 50).await;
    let (context, name) = (&scene.stream.context, &scene.stream.name);
    let consumer = context.get_consumer_from_stream("bridge", name).await;
    let consumer: PullConsumer = consumer.unwrap();
    let taken = consumer.fetch().max_messages(4).messages().await.unwrap();
    let taken: Vec<_> = taken.try_collect().await.unwrap();
    assert_eq!(taken.len(), 4);
    let bridge = Bridge::start(&scene.settings.another()).await;
    scene.receiver.gets(&scene.sent[4..]).await;
    eventually("the others are seen", SOON, async || {
        let lag = bridge.metric("cenl_source_lag_messages").await;
        (lag == Some(4.0)).then_some(())
    })
    .await;
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene.verdict("taken by somebody else", bridge).await;
    verdict.is_clean();
}
