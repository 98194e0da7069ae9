//! Servers that stop in the middle, and bridges that are killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};

use super::{Scene, unchanged};
use crate::support::bridge::Bridge;
use crate::support::nats::{Server, Stream, client, write_raw};
use crate::support::receiver::{Answer, always};
use crate::support::settings::Route;
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire::Seen;

const SLOW: Answer = Answer::Slow(Duration::from_millis(5));

#[tokio::test]
async fn a_killed_bridge_loses_nothing_and_overtakes_nothing() {
    let scene = Scene::new("killed", 4000, 40, always(SLOW), unchanged).await;
    scene.stream.write(&scene.sent, 200).await;
    let mut settings = scene.settings.clone();
    for life in 1..=4 {
        let bridge = Bridge::spawn(&settings);
        let goal = life * scene.sent.len() / 6;
        until("events flow", SOON, || scene.receiver.arrived() >= goal).await;
        bridge.kill();
        settings = settings.another();
    }
    let bridge = Bridge::start(&settings).await;
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene
        .verdict("NATS, the bridge killed 4 times", bridge)
        .await;
    verdict.keeps_the_promise();
    // What was above the watermark, and at most what the window holds.
    assert!(verdict.repeats <= 4 * 1000, "{verdict}");
}

/// The server lets in only smaller ones since it was stored.
#[tokio::test]
async fn a_message_larger_than_messages_may_be_by_now_is_read() {
    fn small(route: Route) -> Route {
        route.own("window_bytes = 4096")
    }
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "larger").await;
    let scene = Scene::over(stream, 9, 3, always(Answer::Status(204)), small).await;
    for (index, event) in scene.sent.iter().enumerate() {
        let padding = if index == 4 { 200_000 } else { 300 };
        scene
            .stream
            .write(std::slice::from_ref(event), padding)
            .await;
    }
    server.kill();
    server.configure("max_payload: 65536");
    server.again().await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(&scene.sent).await;
    scene
        .verdict("a message above max_payload", bridge)
        .await
        .is_clean();
}

#[tokio::test]
async fn a_server_that_comes_back_goes_on_where_it_was() {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "restart").await;
    let scene = Scene::over(stream, 3000, 30, always(SLOW), unchanged).await;
    scene.stream.write(&scene.sent, 200).await;
    let bridge = Bridge::start(&scene.settings).await;
    for life in 1..=3 {
        let goal = life * scene.sent.len() / 5;
        until("events flow", 2 * SOON, || scene.receiver.arrived() >= goal).await;
        server.kill();
        server.again().await;
    }
    scene.receiver.gets(&scene.sent).await;
    scene
        .verdict("nats-server killed 3 times", bridge)
        .await
        .keeps_the_promise();
}

/// A crash leaves the last notes of a consumer unwritten: what is delivered again is held or settled
/// by this process, which knows it.
#[tokio::test]
async fn what_a_killed_server_forgot_is_recognised() {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "forgot").await;
    let scene = Scene::over(stream, 900, 9, always(SLOW), unchanged).await;
    let bridge = Bridge::start(&scene.settings).await;
    let (early, rest) = scene.sent.split_at(300);
    let (late, last) = rest.split_at(500);
    scene.stream.write(early, 50).await;
    scene.receiver.gets(early).await;
    scene.stream.is_drained("bridge").await;
    server.stop();
    let notes = server.notes(&scene.stream, "bridge");
    server.again().await;
    scene.stream.write(late, 50).await;
    // Some of the later ones are settled and some are held.
    until("most have come", SOON, || {
        scene.receiver.accepted_count() >= 600
    })
    .await;
    server.kill();
    server.forget_since(&scene.stream, "bridge", &notes);
    server.again().await;
    bridge.says(&["what it repeats is recognised"]).await;
    scene.stream.write(last, 50).await;
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene.verdict("a server that forgot", bridge).await;
    verdict.is_clean();
}

/// One event is refused for a while, and all others are settled above the watermark when the session
/// ends: the next one meets them again.
#[tokio::test]
async fn what_was_settled_above_one_that_waits_is_not_repeated() {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "above").await;
    let refuses = Arc::new(AtomicBool::new(true));
    let is_refused = Arc::clone(&refuses);
    let script = Box::new(move |events: &[Seen]| {
        let is_first_key = |event: &Seen| {
            let key = event.attributes.get("partitionkey");
            key.is_some_and(|key| key == "k0")
        };
        match is_refused.load(Ordering::Relaxed) && events.iter().any(is_first_key) {
            true => Answer::Status(500),
            false => Answer::Status(204),
        }
    });
    let scene = Scene::over(stream, 60, 6, script, unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    until("the others are settled", SOON, || {
        scene.receiver.accepted_count() == 50
    })
    .await;
    server.kill();
    server.again().await;
    bridge.says(&["what it repeats is recognised"]).await;
    let tried = scene.receiver.requests();
    until("it is tried again", SOON, || {
        scene.receiver.requests() > tried + 2
    })
    .await;
    refuses.store(false, Ordering::Relaxed);
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene.verdict("settled above the watermark", bridge).await;
    verdict.is_clean();
}

/// It holds its connections and says nothing, not even that a request is still open: that is noticed
/// long before the client misses the answer to a ping, and reading begins anew.
#[tokio::test]
async fn a_server_that_falls_silent_is_noticed_and_asked_anew() {
    let server = Server::start("").await;
    let stream = Stream::create(&server.address(), "silent").await;
    let script = always(Answer::Status(204));
    let scene = Scene::over(stream, 60, 6, script, unchanged).await;
    let (early, late) = scene.sent.split_at(30);
    scene.stream.write(early, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(early).await;
    server.signal("STOP");
    bridge
        .says(&["WARN", "interrupted", "silent for too long"])
        .await;
    server.signal("CONT");
    scene.stream.write(late, 50).await;
    scene.receiver.gets(&scene.sent).await;
    let verdict = scene.verdict("a server that fell silent", bridge).await;
    verdict.is_clean();
}

/// A consumer that somebody paused is fed nothing, and its requests are answered all the same: it is
/// looked at, and told.
#[tokio::test]
async fn a_consumer_that_was_paused_goes_on() {
    for change in [unchanged, |route: Route| route.own("order = \"none\"")] {
        paused(change).await;
    }
}

async fn paused(change: fn(Route) -> Route) {
    let script = always(Answer::Status(204));
    let scene = Scene::new("paused", 60, 60, script, change).await;
    let (early, late) = scene.sent.split_at(30);
    scene.stream.write(early, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    scene.receiver.gets(early).await;
    scene.stream.pause("bridge").await;
    scene.stream.write(late, 50).await;
    eventually("what waits is asked for in vain", SOON, async || {
        let waiting = scene.stream.consumer("bridge").await;
        (waiting.num_pending == 30 && waiting.num_waiting > 0).then_some(())
    })
    .await;
    assert_eq!(scene.receiver.arrived(), 30);
    bridge.says(&["WARN", "the consumer is paused"]).await;
    let held = async |windows| {
        eventually("it counts as held, or not", SOON, async || {
            (bridge.metric("cenl_windows_held").await == Some(windows)).then_some(())
        })
        .await;
    };
    held(1.0).await;
    scene.stream.resume("bridge").await;
    scene.receiver.gets(&scene.sent).await;
    held(0.0).await;
    scene.verdict("a paused consumer", bridge).await.is_clean();
}

#[tokio::test]
async fn a_bridge_waits_for_its_server() {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "later").await;
    let scene = Scene::over(stream, 50, 5, always(Answer::Status(204)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    server.kill();
    let mut bridge = Bridge::spawn(&scene.settings);
    bridge.says(&["nats client reports an error"]).await;
    assert!(!bridge.is_ready().await);
    server.again().await;
    bridge.ready().await;
    scene.receiver.gets(&scene.sent).await;
    scene
        .verdict("a server that starts later", bridge)
        .await
        .is_clean();
}

/// What came just before reading was broken off is in the window: it is handed on all the same, or it
/// would be held for ever.
#[tokio::test]
async fn what_came_before_reading_broke_off_is_handed_on() {
    let script = always(Answer::Status(204));
    let scene = Scene::new("broken-off", 151, 5, script, unchanged).await;
    let Stream { name, server, .. } = &scene.stream;
    let client = client(server).await;
    let next = format!("$JS.API.CONSUMER.MSG.NEXT.{name}.bridge");
    let mut requests = client.subscribe(next).await.unwrap();
    client.flush().await.unwrap();
    let bridge = Bridge::start(&scene.settings).await;
    // The first message says who reads.
    let (first, rest) = scene.sent.split_at(1);
    scene.stream.write(first, 50).await;
    scene.receiver.gets(first).await;
    for (round, events) in rest.chunks(50).enumerate() {
        // Others are made to keep a place, or to wait for one.
        while let Some(Some(_)) = requests.next().now_or_never() {}
        let inbox = loop {
            let request = requests.next().await.unwrap();
            let asked: serde_json::Value = serde_json::from_slice(&request.payload).unwrap();
            if asked["batch"].as_u64() >= Some(50) {
                break request.reply.unwrap();
            }
        };
        // It finds the messages together with the word that a leader uses when it steps down.
        bridge.signal("STOP");
        scene.stream.write(events, 50).await;
        // The request may be over before all of them are written.
        eventually("some are given out", SOON, async || {
            let given = scene.stream.consumer("bridge").await.num_ack_pending;
            (given > 0).then_some(())
        })
        .await;
        let word = b"NATS/1.0 409 Leadership Change\r\n\r\n";
        write_raw(server, inbox.as_str(), word, b"").await;
        bridge.signal("CONT");
        scene.receiver.gets(&rest[..50 * (round + 1)]).await;
    }
    bridge
        .says(&["WARN", "interrupted", "Leadership Change"])
        .await;
    scene.verdict("reading broken off", bridge).await.is_clean();
}

/// The server has sent it, and nothing comes behind it that would show a gap: somebody else got it, who
/// asked in the name of the process that reads.
#[tokio::test]
async fn a_last_delivery_that_was_lost_is_noticed() {
    let scene = Scene::new("last", 6, 2, always(Answer::Status(204)), unchanged).await;
    let (first, last) = scene.sent.split_at(5);
    let bridge = scene.settles(first).await;
    bridge.signal("STOP");
    let pin = eventually("its requests are over", SOON, async || {
        let info = scene.stream.consumer("bridge").await;
        let pin = info.priority_groups[0].pinned_client_id.clone()?;
        (info.num_waiting == 0).then_some(pin)
    })
    .await;
    let client = scene.stream.context.client();
    let inbox = client.new_inbox();
    let mut thief = client.subscribe(inbox.clone()).await.unwrap();
    let next = format!("$JS.API.CONSUMER.MSG.NEXT.{}.bridge", scene.stream.name);
    let asked = serde_json::json!({ "batch": 1, "group": "cenl-bridge", "id": pin });
    let asked = asked.to_string().into();
    client.publish_with_reply(next, inbox, asked).await.unwrap();
    client.flush().await.unwrap();
    scene.stream.write(last, 50).await;
    let stolen = thief.next().await.unwrap();
    assert!(stolen.status.is_none(), "{stolen:?}");
    bridge.signal("CONT");
    bridge.says(&["WARN", "last delivery was lost"]).await;
    scene.receiver.gets(&scene.sent).await;
    scene.verdict("a lost delivery", bridge).await.is_clean();
}

/// Its deliveries count from the first again, and bring what was settled.
#[tokio::test]
async fn a_consumer_that_is_set_back_is_read_again() {
    for sequence in [1, 31] {
        set_back_to(sequence).await;
    }
}

async fn set_back_to(sequence: usize) {
    let scene = Scene::new("reset", 40, 4, always(Answer::Status(204)), unchanged).await;
    let bridge = scene.settles(&scene.sent).await;
    scene.stream.reset("bridge", sequence).await;
    bridge.says(&["counts anew"]).await;
    let repeats = scene.sent.len() + 1 - sequence;
    until("they come again", 2 * SOON, || {
        scene.receiver.accepted_count() >= scene.sent.len() + repeats
    })
    .await;
    let verdict = scene.verdict("a consumer set back", bridge).await;
    verdict.keeps_the_promise();
    assert_eq!(verdict.repeats, repeats, "{verdict}");
}

/// What is unsettled at the end of a drain goes back at once, and the next process has it in order.
#[tokio::test]
async fn what_a_stopped_bridge_gives_back_comes_in_order() {
    let scene = Scene::new("stopped", 200, 4, always(Answer::Status(503)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let limited = scene.settings.clone().limits("shutdown_deadline = \"1s\"");
    let bridge = Bridge::start(&limited).await;
    until("it is tried", SOON, || scene.receiver.requests() > 8).await;
    bridge.stop().await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    let next = Bridge::start(&scene.settings.another()).await;
    scene.receiver.gets(&scene.sent).await;
    next.stop().await;
    scene.stream.is_drained("bridge").await;
    Verdict::of("given back", &scene.sent, &scene.receiver.accepted(), &[]).is_clean();
}
