//! What a process still works on when another one may read: it must have ended by then.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, sleep, timeout};

use super::{Scene, unchanged};
use crate::support::bridge::Bridge;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, always};
use crate::support::settings::Route;
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

/// The server gives the place to another process when this one has been silent for so long.
const PIN_TIMEOUT: Duration = Duration::from_secs(5);
/// Between two events of a receiver that is asked one at a time.
const SLOW: Duration = Duration::from_millis(200);

/// Its window is full of work for a long time, and the connection says nothing any more.
#[tokio::test]
async fn nothing_is_delivered_beyond_the_place_of_a_silent_server() {
    fn one_by_one(route: Route) -> Route {
        route.own("window_events = 100").own("in_flight = 1")
    }
    let server = Server::start("").await;
    let stream = Stream::create(&server.address(), "silence").await;
    let scene = Scene::over(stream, 300, 300, always(Answer::Slow(SLOW)), one_by_one).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    until("it is at work", SOON, || scene.receiver.came() > 10).await;
    server.signal("STOP");
    let silent = Instant::now();
    let (mut came, mut last) = (scene.receiver.came(), silent);
    while last.elapsed() < 10 * SLOW {
        sleep(SLOW / 10).await;
        if std::mem::replace(&mut came, scene.receiver.came()) < scene.receiver.came() {
            last = Instant::now();
        }
    }
    let worked = last - silent;
    println!("a silent server: worked on for {worked:?}");
    assert!(worked < PIN_TIMEOUT, "{worked:?}");
    server.signal("CONT");
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene.verdict("a silent server", bridge).await;
    verdict.keeps_the_promise();
}

/// A route that is held works on what it has, and requests nothing: that another process has its place
/// is noticed all the same.
#[tokio::test]
async fn a_held_route_ends_its_work_when_another_process_reads() {
    let script = always(Answer::Status(500));
    let scene = Scene::new("held-place", 61, 6, script, unchanged).await;
    let Stream { name, context, .. } = &scene.stream;
    scene.stream.write(&scene.sent[..6], 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    until("they are tried", SOON, || scene.receiver.requests() >= 6).await;
    scene.stream.pause("bridge").await;
    scene.stream.write(&scene.sent[6..], 50).await;
    scene.keep(10).await;
    scene.stream.resume("bridge").await;
    bridge.says(&["ERROR", "it is read no further"]).await;
    eventually("its place is free", SOON, async || {
        let info = scene.stream.consumer("bridge").await;
        let pin = info.priority_groups[0].pinned_client_id.clone();
        pin.is_none_or(|pin| pin.is_empty()).then_some(())
    })
    .await;
    let tried = scene.receiver.requests();
    until("it is tried on", SOON, || {
        scene.receiver.requests() > tried + 2
    })
    .await;
    eventually("a restart holds too", SOON, async || {
        let consumer = scene.stream.consumer("bridge").await;
        (consumer.ack_floor.stream_sequence == 0).then_some(())
    })
    .await;
    let client = context.client();
    let inbox = client.new_inbox();
    let mut other = client.subscribe(inbox.clone()).await.unwrap();
    let next = format!("$JS.API.CONSUMER.MSG.NEXT.{name}.bridge");
    let asked = serde_json::json!({ "batch": 1, "group": "cenl-bridge" });
    let asked = asked.to_string().into();
    client.publish_with_reply(next, inbox, asked).await.unwrap();
    let taken = timeout(SOON, other.next()).await.unwrap();
    assert!(taken.unwrap().status.is_none());
    bridge
        .says(&["WARN", "another process may read the stream"])
        .await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    scene.stream.reset("bridge", 52).await;
    scene.receiver.gets(&scene.sent[51..]).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    let accepted = scene.receiver.accepted();
    Verdict::of("a held place", &scene.sent[51..], &accepted, &[]).is_clean();
}
