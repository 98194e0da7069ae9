//! Streams whose limits, or whose owners, remove messages before they are delivered.

mod at_a_stop;
mod without_order;

use std::collections::BTreeSet;

use futures_util::StreamExt;

use super::{Scene, unchanged};
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::Numbered;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

impl Scene {
    /// From now on the stream keeps so many messages.
    pub(super) async fn keep(&self, messages: i64) {
        self.change_stream(|config| config.max_messages = messages)
            .await;
    }

    fn have_arrived(&self, events: &[Numbered]) -> bool {
        let accepted: BTreeSet<_> = self.receiver.accepted().into_iter().collect();
        events.iter().all(|event| accepted.contains(&event.id()))
    }
}

async fn metric_becomes(bridge: &Bridge, name: &str, value: f64) {
    eventually(name, SOON, async || {
        (bridge.metric(name).await == Some(value)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn limits_that_passed_the_durable_hold_the_route_until_somebody_says_go_on() {
    limits_pass(unchanged).await;
}

#[tokio::test]
async fn limits_that_passed_a_durable_hold_a_route_without_order_too() {
    limits_pass(|route| route.own("order = \"none\"")).await;
}

async fn limits_pass(change: fn(Route) -> Route) {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "limits").await;
    let scene = Scene::over(stream, 61, 6, always(Answer::Status(204)), change).await;
    let ((early, late), last) = (scene.sent[..60].split_at(20), &scene.sent[60..]);
    let bridge = scene.settles(early).await;
    bridge.stop().await;
    scene.stream.write(late, 50).await;
    scene.keep(10).await;
    // A restart changes nothing.
    for _ in 0..2 {
        let bridge = Bridge::start(&scene.settings.another()).await;
        bridge
            .says(&["ERROR", "it is read no further", "next=21", "first=51"])
            .await;
        metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
        assert_eq!(scene.receiver.accepted_count(), early.len());
        bridge.stop().await;
    }
    let route = Route::from_stream(&scene.stream, &scene.receiver, &scene.dead)
        .source("on_offset_lost = \"earliest\"");
    let settings = Settings::new(&brokers::kafka()).nats(&scene.stream.server, "");
    let bridge = Bridge::start(&settings.route(change(route))).await;
    bridge
        .says(&["ERROR", "are lost", "next=21", "first=51"])
        .await;
    metric_becomes(&bridge, "cenl_messages_lost_total", 30.0).await;
    scene.receiver.gets(&[early, &late[30..]].concat()).await;
    scene.stream.is_drained("bridge").await;
    // The next session counts nothing again.
    server.kill();
    server.again().await;
    scene.stream.write(last, 50).await;
    eventually("the last one comes", SOON, async || {
        scene.have_arrived(last).then_some(())
    })
    .await;
    metric_becomes(&bridge, "cenl_messages_lost_total", 30.0).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
}

/// The operator sets the durable to the oldest message that is there.
#[tokio::test]
async fn a_held_route_goes_on_after_a_restart_where_an_operator_says() {
    let scene = Scene::new("restart", 60, 6, always(Answer::Status(204)), unchanged).await;
    let bridge = scene.settles(&scene.sent[..20]).await;
    bridge.stop().await;
    scene.stream.write(&scene.sent[20..], 50).await;
    scene.keep(10).await;
    for settings in [&scene.settings, &scene.settings.another()] {
        let bridge = Bridge::start(settings).await;
        bridge.says(&["ERROR", "it is read no further"]).await;
        metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
        bridge.stop().await;
    }
    let bridge = Bridge::start(&scene.settings.another()).await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    scene.stream.reset("bridge", 51).await;
    let expected = [&scene.sent[..20], &scene.sent[50..]].concat();
    scene.receiver.gets(&expected).await;
    metric_becomes(&bridge, "cenl_windows_held", 0.0).await;
    assert_eq!(bridge.metric("cenl_messages_lost_total").await, Some(0.0));
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    let accepted = scene.receiver.accepted();
    Verdict::of("a held route", &expected, &accepted, &[]).is_clean();
}

/// What was taken before the gap is worked on, though it left the stream, and nothing behind it is.
#[tokio::test]
async fn a_gap_in_the_middle_of_what_came_holds_the_route_there() {
    let scene = Scene::new("middle", 61, 6, always(Answer::Status(204)), unchanged).await;
    let (first, rest) = scene.sent.split_at(1);
    let bridge = scene.settles(first).await;
    scene.receiver.follow(always(Answer::Status(503)));
    // These come, and what comes next is far behind them.
    scene.stream.write(&rest[..5], 50).await;
    metric_becomes(&bridge, "cenl_window_events", 5.0).await;
    scene.stream.pause("bridge").await;
    scene.stream.write(&rest[5..], 50).await;
    scene.keep(10).await;
    scene.stream.resume("bridge").await;
    bridge
        .says(&["ERROR", "it is read no further", "next=7", "first=52"])
        .await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    scene.receiver.gets(&scene.sent[..6]).await;
    assert_eq!(scene.receiver.accepted_count(), 6);
    // What was delivered since counts for a restart, too.
    eventually("the durable stands behind it", SOON, async || {
        let info = scene.stream.consumer("bridge").await;
        (info.ack_floor.stream_sequence == 6).then_some(())
    })
    .await;
    bridge.stop().await;
    let bridge = Bridge::start(&scene.settings.another()).await;
    bridge
        .says(&["ERROR", "it is read no further", "next=7", "first=52"])
        .await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    scene.stream.reset("bridge", 52).await;
    let expected = [&scene.sent[..6], &scene.sent[51..]].concat();
    scene.receiver.gets(&expected).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
    let accepted = scene.receiver.accepted();
    Verdict::of("a gap in the middle", &expected, &accepted, &[]).is_clean();
}

/// There messages leave when they are acknowledged, those of other subjects too: that is no loss.
#[tokio::test]
async fn what_others_acknowledge_is_no_alarm() {
    use async_nats::jetstream::stream::RetentionPolicy::{Interest, WorkQueue};
    for retention in [WorkQueue, Interest] {
        let scene = Scene::new("others", 40, 2, always(Answer::Status(204)), unchanged).await;
        let Stream {
            name,
            context,
            prefix,
            ..
        } = &scene.stream;
        let config = context.get_stream(name).await.unwrap();
        let mut config = config.cached_info().config.clone();
        config.retention = retention;
        context.delete_stream(name).await.unwrap();
        let stream = context.create_stream(config).await.unwrap();
        let durable = |durable: &str, key: &str| async_nats::jetstream::consumer::pull::Config {
            durable_name: Some(durable.to_owned()),
            filter_subject: format!("{prefix}.{key}"),
            ..Default::default()
        };
        stream
            .create_consumer(durable("bridge", "k1"))
            .await
            .unwrap();
        let other = stream
            .create_consumer(durable("other", "k0"))
            .await
            .unwrap();
        scene.stream.write(&scene.sent, 50).await;
        let (others, own): (Vec<_>, Vec<_>) = scene
            .sent
            .iter()
            .cloned()
            .partition(|event| event.key == "k0");
        let mut given = other
            .fetch()
            .max_messages(others.len())
            .messages()
            .await
            .unwrap();
        while let Some(message) = given.next().await {
            message.unwrap().double_ack().await.unwrap();
        }
        let line = format!("subject = \"{prefix}.k1\"");
        let route = Route::from_stream(&scene.stream, &scene.receiver, &scene.dead).source(&line);
        let settings = Settings::new(&brokers::kafka()).nats(&scene.stream.server, "");
        let bridge = Bridge::start(&settings.route(route)).await;
        scene.receiver.gets(&own).await;
        assert_eq!(bridge.metric("cenl_messages_lost_total").await, Some(0.0));
        assert!(
            !bridge.log().contains("left the stream"),
            "{}",
            bridge.log()
        );
        bridge.stop().await;
        scene.stream.is_drained("bridge").await;
    }
}

fn small(route: Route) -> Route {
    route.own("window_events = 5")
}

/// What was taken goes on, though the stream does not have it any more; what comes then is not taken.
#[tokio::test]
async fn limits_that_pass_a_route_while_it_reads_are_noticed() {
    let scene = Scene::new("passed", 60, 6, always(Answer::Status(503)), small).await;
    scene.stream.write(&scene.sent, 50).await;
    let bridge = Bridge::start(&scene.settings).await;
    metric_becomes(&bridge, "cenl_window_events", 5.0).await;
    scene.keep(10).await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    bridge
        .says(&["ERROR", "it is read no further", "next=6", "first=51"])
        .await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    scene.receiver.gets(&scene.sent[..5]).await;
    assert_eq!(scene.receiver.accepted_count(), 5);
    bridge.stop().await;
}

/// The server takes what was given out for acknowledged when it leaves the stream; this process knows
/// better, and its session ends before it could deliver it.
#[tokio::test]
async fn limits_that_pass_what_was_ack_pending_elsewhere_are_noticed() {
    ack_pending_elsewhere(1).await;
}

/// So it is before it has settled anything.
#[tokio::test]
async fn limits_that_pass_the_first_that_was_ack_pending_elsewhere_are_noticed() {
    ack_pending_elsewhere(0).await;
}

async fn ack_pending_elsewhere(settled: usize) {
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "given").await;
    let scene = Scene::over(stream, 60, 6, always(Answer::Status(204)), small).await;
    let bridge = scene.settles(&scene.sent[..settled]).await;
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(503)));
    scene.stream.write(&scene.sent[settled..], 50).await;
    metric_becomes(&bridge, "cenl_window_events", 5.0).await;
    scene.keep(10).await;
    server.kill();
    server.again().await;
    bridge
        .says(&[
            "ERROR",
            "it is read no further",
            &format!("next={}", settled + 1),
            "first=51",
        ])
        .await;
    metric_becomes(&bridge, "cenl_windows_held", 1.0).await;
    // Somebody says where to go on.
    scene.receiver.forget_waits();
    scene.receiver.follow(always(Answer::Status(204)));
    scene.stream.reset("bridge", 51).await;
    scene.receiver.gets(&scene.sent[50..]).await;
    metric_becomes(&bridge, "cenl_windows_held", 0.0).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
}

/// Of a part of a stream nobody can say what was removed: the route goes on, under an alarm.
#[tokio::test]
async fn with_a_filter_it_is_an_alarm() {
    let scene = Scene::new("part", 60, 6, always(Answer::Status(204)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    scene.keep(6).await;
    let filter = format!("subject = \"{}.*\"", scene.stream.prefix);
    let settings = {
        let route = Route::from_stream(&scene.stream, &scene.receiver, &scene.dead);
        Settings::new(&brokers::kafka())
            .nats(&scene.stream.server, "")
            .route(route.source(&filter))
    };
    let bridge = Bridge::start(&settings).await;
    scene.receiver.gets(&scene.sent[54..]).await;
    scene.stream.is_drained("bridge").await;
    bridge.stop().await;
    // Nobody reads, and all but the last of these are removed.
    scene.stream.write(&scene.sent[..20], 50).await;
    scene.keep(1).await;
    let bridge = Bridge::start(&settings.another()).await;
    bridge
        .says(&[
            "ERROR",
            "some may not have been delivered",
            "next=61",
            "first=80",
        ])
        .await;
    metric_becomes(&bridge, "cenl_messages_lost_total", 19.0).await;
    eventually("the last one comes", SOON, async || {
        scene.have_arrived(&scene.sent[19..20]).then_some(())
    })
    .await;
    bridge.stop().await;
}

/// Who may not ask what the stream has reads all the same, and an operator is told.
#[tokio::test]
async fn a_user_that_may_not_ask_for_the_stream_reads_it() {
    let server = Server::start(
        "no_auth_user: all\nauthorization { users: [\n{ user: all, password: p }\n\
         { user: u, password: p, permissions: { publish: { deny: \"$JS.API.STREAM.INFO.>\" } } }\n] }",
    )
    .await;
    let stream = Stream::create(&server.address(), "unasked").await;
    let scene = Scene::over(stream, 60, 6, always(Answer::Status(204)), unchanged).await;
    scene.stream.write(&scene.sent, 50).await;
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "p").unwrap();
    let secrets = format!("user = \"u\"\nsecrets = {{ password = {{ file = {password:?} }} }}");
    let settings = Settings::new(&brokers::kafka())
        .nats(&scene.stream.server, &secrets)
        .route(Route::from_stream(
            &scene.stream,
            &scene.receiver,
            &scene.dead,
        ));
    let bridge = Bridge::spawn(&settings);
    bridge.says(&["allow $JS.API.STREAM.INFO"]).await;
    scene.receiver.gets(&scene.sent).await;
    bridge.stop().await;
    scene.stream.is_drained("bridge").await;
}
