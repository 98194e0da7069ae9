//! Bridges that stop, and still work on what they have.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::Instant;

use super::{Scene, unchanged, without_order};
use crate::support::bridge::Bridge;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, always, first};
use crate::support::settings::Route;
use crate::support::wait::{SOON, until};

/// What is under way is answered later than a place is kept unasked.
#[tokio::test]
async fn a_bridge_that_stops_keeps_its_place_until_all_is_answered() {
    fn one_by_one(route: Route) -> Route {
        route.own("window_events = 1")
    }
    let script = first([Answer::Slow(Duration::from_secs(9))]);
    let scene = Scene::new("drain", 40, 1, script, one_by_one).await;
    let one = Bridge::start(&scene.settings.posting_to("/one")).await;
    scene.stream.write(&scene.sent, 100).await;
    until("it is tried", SOON, || scene.receiver.came() > 0).await;
    let two = Bridge::spawn(&scene.settings.posting_to("/two"));
    one.stop().await;
    // The other one has what is left, and nothing that the first one had.
    scene.receiver.gets(&scene.sent).await;
    assert!(scene.receiver.requests_to("/two") > 0);
    scene.verdict("a long drain", two).await.is_clean();
}

/// A process that stops still works on what it has, for longer than the server waits for a word about
/// a message: nobody else is given it.
#[tokio::test]
async fn a_drain_tells_the_server_that_it_works_on_its_messages() {
    fn impatient(route: Route) -> Route {
        route.own("order = \"none\"").source("ack_wait = \"3s\"")
    }
    let script = always(Answer::Slow(Duration::from_secs(5)));
    // Each key has one event: there is no order to keep.
    let scene = Scene::new("working", 24, 24, script, impatient).await;
    let (held, rest) = scene.sent.split_at(4);
    scene.stream.write(held, 50).await;
    let one = Bridge::start(&scene.settings.posting_to("/one")).await;
    until("it has them", SOON, || scene.receiver.came() == held.len()).await;
    let two = Bridge::start(&scene.settings.posting_to("/two")).await;
    scene.receiver.follow(always(Answer::Status(204)));
    one.stop().await;
    assert_eq!(scene.receiver.came_to("/two"), 0, "it was given away");
    scene.stream.write(rest, 50).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a drain", two).await.is_clean();
}

/// Another process may read from then on: what was not settled is for that one.
#[tokio::test]
async fn a_drain_ends_soon_where_the_connection_is_lost() {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "fenced").await;
    let scene = Scene::over(stream, 4, 1, always(Answer::Hang), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let patient = scene.settings.clone().limits("shutdown_deadline = \"5m\"");
    let mut bridge = Bridge::start(&patient).await;
    until("it is tried", SOON, || scene.receiver.requests() > 0).await;
    bridge.terminate();
    assert!(!bridge.has_ended(), "nothing is left to lose");
    let lost = Instant::now();
    server.kill();
    server.again().await;
    assert_eq!(bridge.exit_code(2 * SOON).await, 0);
    println!(
        "a drain without a connection ended after {:?}",
        lost.elapsed()
    );
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    let next = Bridge::start(&scene.settings.another()).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a fenced drain", next).await.is_clean();
}

/// What was settled during the outage is told to nobody: it would count for others' messages.
#[tokio::test]
async fn a_drain_tells_another_consumer_nothing() {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "renewed").await;
    let script = always(Answer::Slow(Duration::from_secs(6)));
    let scene = Scene::over(stream, 4, 4, script, without_order).await;
    scene.stream.write(&scene.sent, 50).await;
    let patient = scene.settings.clone().limits("shutdown_deadline = \"60s\"");
    let mut bridge = Bridge::start(&patient).await;
    until("it has them", SOON, || scene.receiver.came() == 4).await;
    let Stream { name, context, .. } = &scene.stream;
    let config = context.get_stream(name).await.unwrap();
    let config = config.cached_info().config.clone();
    let durable = scene.stream.consumer("bridge").await.config;
    bridge.terminate();
    server.kill();
    bridge.says(&["nats connection lost"]).await;
    bridge.signal("STOP");
    server.forget_everything();
    server.again().await;
    let stream = super::durable::made_anew(&scene.stream, config).await;
    let durable = async_nats::jetstream::consumer::pull::Config {
        durable_name: durable.durable_name,
        max_ack_pending: durable.max_ack_pending,
        ..Default::default()
    };
    let consumer = stream.create_consumer(durable).await.unwrap();
    scene.stream.write(&scene.sent, 50).await;
    let mut given = consumer.fetch().max_messages(4).messages().await.unwrap();
    for _ in 0..4 {
        given.next().await.unwrap().unwrap();
    }
    bridge.signal("CONT");
    assert_eq!(bridge.exit_code(2 * SOON).await, 0);
    let waiting = scene.stream.consumer("bridge").await.num_ack_pending;
    assert_eq!((scene.receiver.accepted_count(), waiting), (4, 4));
}
