//! What operators see: lag, ages, connections and answers in the metrics, attempts and refusals in the log.

mod joined;
mod permissions;

use jiff::{SignedDuration, Timestamp};

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::wait::{SOON, eventually, until};

const STRUCTURED: [(&str, &str); 1] = [("content-type", "application/cloudevents+json")];

async fn shows(bridge: &Bridge, name: &str, value: f64) {
    eventually(&format!("{name} is {value}"), SOON, async || {
        (bridge.metric(name).await == Some(value)).then_some(())
    })
    .await;
}

/// Records that were written an hour ago.
fn old(events: &[Numbered]) -> impl Iterator<Item = Record> {
    let time = Timestamp::now() - SignedDuration::from_hours(1);
    events.iter().map(move |event| Record {
        timestamp_ms: Some(time.as_millisecond()),
        ..event.record(20)
    })
}

#[tokio::test]
async fn open_dead_letters_are_counted_for_each_route_of_a_place() {
    let broker = brokers::kafka();
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let mut settings = Settings::new(&broker).admin_line("count_dead_letters_every = \"500ms\"\n");
    for (name, events) in [("one", 7), ("other", 12)] {
        let topic = Topic::create(&broker, name).await;
        let sent = numbered(events, 3);
        topic.write(sent.iter().map(|event| event.record(20))).await;
        let route = Route::to_webhook(&topic, &receiver, &dead).named(name);
        settings = settings.route(route.dead_letter("stop_after = 0"));
    }
    let bridge = Bridge::start(&settings).await;
    let open = |name: &str| format!("cenl_dead_letters_open{{route=\"{name}\"}}");
    shows(&bridge, &open("one"), 7.0).await;
    shows(&bridge, &open("other"), 12.0).await;
    // Ranges of offsets are noted, and the letters of the other lie between.
    let dismissed = ["--route", "one", "--all", "--dismiss"];
    run("replay", &settings, &dismissed).await.ends_with(0);
    shows(&bridge, &open("one"), 0.0).await;
    shows(&bridge, &open("other"), 12.0).await;
    receiver.follow(always(Answer::Status(204)));
    let replayed = ["--route", "other", "--id", "k0/1"];
    run("replay", &settings, &replayed).await.ends_with(0);
    shows(&bridge, &open("other"), 11.0).await;
    bridge.stop().await;
}

#[tokio::test]
async fn a_stalled_topic_shows_its_lag_and_the_age_of_its_records() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "lag").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(300, 30);
    let receiver = Receiver::start(always(Answer::Status(503)));
    let route = Route::to_webhook(&topic, &receiver, &dead).own("window_events = 10");
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    topic.write(old(&sent[..200])).await;
    shows(&bridge, "cenl_source_lag_messages", 200.0).await;
    // No partition has room, so none of these is fetched.
    topic.write(old(&sent[200..])).await;
    shows(&bridge, "cenl_source_lag_messages", 300.0).await;
    let age = bridge.metric("cenl_oldest_unsettled_seconds").await;
    assert!(
        age.is_some_and(|age| (3600.0..4000.0).contains(&age)),
        "{age:?}"
    );
    assert_eq!(bridge.metric("cenl_last_delivery").await, None);
    let failed = r#"cenl_attempts_total{route="to-webhook",outcome="5xx"}"#;
    assert!(bridge.metric(failed).await > Some(0.0));
    for (end, is_up) in [
        ("source", Some(1.0)),
        ("dead_letter", Some(1.0)),
        ("sink", None),
    ] {
        let name = format!("cenl_connection_up{{route=\"to-webhook\",end=\"{end}\"}}");
        assert_eq!(bridge.metric(&name).await, is_up, "{end}");
    }
    receiver.follow(always(Answer::Status(204)));
    receiver.gets(&sent).await;
    shows(&bridge, "cenl_source_lag_messages", 0.0).await;
    shows(&bridge, "cenl_oldest_unsettled_seconds", 0.0).await;
    shows(&bridge, "cenl_delivery_latency_seconds_count", 300.0).await;
    let quick = r#"cenl_delivery_latency_seconds_bucket{le="1800.0""#;
    assert_eq!(
        bridge.metric(quick).await,
        Some(0.0),
        "they are an hour old"
    );
    let last = bridge
        .metric("cenl_last_delivery_timestamp_seconds")
        .await
        .unwrap();
    let now = Timestamp::now().as_millisecond() as f64 / 1000.0;
    assert!((now - 60.0..=now).contains(&last), "{last} {now}");
    let bytes = bridge.metric("cenl_delivered_bytes_total").await;
    assert!(bytes > Some(300.0 * 20.0), "{bytes:?}");
    bridge.stop().await;
}

async fn a_stream_shows_what_waits(order: &str) {
    let broker = brokers::kafka();
    let mut server = Server::start("").await;
    let stream = Stream::create(&server.address(), "lag").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(503)));
    let route = Route::from_stream(&stream, &receiver, &dead)
        .own("window_events = 10")
        .own(order);
    let settings = Settings::new(&broker)
        .nats(&server.address(), "")
        .route(route);
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(60, 6);
    stream.write(&sent[..40], 20).await;
    shows(&bridge, "cenl_source_lag_messages", 40.0).await;
    // The window is full, so the server says nothing of these by itself.
    stream.write(&sent[40..], 20).await;
    shows(&bridge, "cenl_source_lag_messages", 60.0).await;
    let up = r#"cenl_connection_up{route="to-webhook",end="source"}"#;
    shows(&bridge, up, 1.0).await;
    server.kill();
    shows(&bridge, up, 0.0).await;
    eventually("nobody knows what waits", SOON, async || {
        let lag = bridge.metric("cenl_source_lag_messages").await;
        lag.is_none().then_some(())
    })
    .await;
    server.again().await;
    shows(&bridge, up, 1.0).await;
    receiver.follow(always(Answer::Status(204)));
    receiver.gets(&sent).await;
    shows(&bridge, "cenl_source_lag_messages", 0.0).await;
    bridge.stop().await;
}

#[tokio::test]
async fn an_ordered_stream_shows_what_waits() {
    a_stream_shows_what_waits("order = \"key\"").await;
}

#[tokio::test]
async fn an_unordered_stream_shows_what_waits() {
    a_stream_shows_what_waits("order = \"none\"").await;
}

#[tokio::test]
async fn every_attempt_is_a_line_where_the_settings_say_so() {
    let broker = brokers::kafka();
    let receiver = Receiver::start(always(Answer::Status(204)));
    for is_on in [true, false] {
        let (topic, dead) = (
            Topic::create(&broker, "attempts").await,
            Topic::create(&broker, "dead").await,
        );
        let events = numbered(2, 2);
        topic
            .write(events.iter().map(|event| event.record(20)))
            .await;
        receiver.follow(Box::new(|events| match events[0].id().starts_with("k0/") {
            true => Answer::Status(400),
            false => Answer::Status(204),
        }));
        let route = Route::to_webhook(&topic, &receiver, &dead);
        let settings = Settings::new(&broker)
            .connection(&format!("[log]\ndeliveries = {is_on}\n"))
            .route(route);
        let bridge = Bridge::start(&settings).await;
        if is_on {
            for (id, dead_letter, status) in [
                ("k0/0", false, "400"),
                ("k0/0", true, "delivered"),
                ("k1/0", false, "delivered"),
            ] {
                let words = [
                    "INFO".to_owned(),
                    "route=\"to-webhook\"".to_owned(),
                    format!(": attempt id=\"{id}\""),
                    format!("dead_letter={dead_letter}"),
                    format!("status=\"{status}\" ms="),
                ];
                bridge.says(&words.each_ref().map(String::as_str)).await;
            }
        } else {
            eventually("both are settled", SOON, async || {
                let settled = bridge.metric("cenl_events_total").await;
                (settled == Some(2.0)).then_some(())
            })
            .await;
            assert!(!bridge.log().contains(": attempt "), "{}", bridge.log());
        }
        bridge.stop().await;
    }
}

/// The broker is stopped, so this one is of this test alone.
#[tokio::test]
async fn senders_that_are_turned_away_are_counted_and_told_at_once() {
    let broker = brokers::private("operations");
    let (target, ingress) = (Topic::create(&broker, "target").await, free_address());
    let route = Route::to_topic("/events", &target).source("deadline = \"10s\"");
    let settings = Settings::new(&broker).listen(ingress).route(route);
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let event = &numbered(1, 1)[0];
    let post = async |path: &str| {
        let reply = client.post(path, &STRUCTURED, event.json(20)).await;
        reply.unwrap().status.as_u16()
    };
    assert_eq!(post("/events").await, 202);
    let up = r#"cenl_connection_up{route="to-topic",end="sink"}"#;
    shows(&bridge, up, 1.0).await;
    broker.stop();
    shows(&bridge, up, 0.0).await;
    assert_eq!(post("/events").await, 503);
    let reason = "reason=\"not acknowledged in time; repeat the request\"";
    let words = [
        "WARN",
        "path=\"/events\"",
        "status=503",
        "peer=127.0.0.1",
        reason,
    ];
    bridge.says(&words).await;
    for _ in 0..9 {
        assert_eq!(post("/secret-of-somebody").await, 404);
    }
    let told = || {
        let log = bridge.log();
        log.matches("path=\"other\" status=404").count()
    };
    until("three are told", SOON, || told() >= 3).await;
    assert_eq!(told(), 3);
    let log = bridge.log();
    assert!(!log.contains("secret-of-somebody"), "{log}");
    let answers = |path: &str, class: &str| {
        let listener = format!("listener=\"{ingress}\"");
        format!("cenl_ingress_answers_total{{{listener},path=\"{path}\",class=\"{class}\"}}")
    };
    for (path, class, count) in [
        ("/events", "2xx", 1.0),
        ("/events", "4xx", 0.0),
        ("/events", "5xx", 1.0),
        ("other", "4xx", 9.0),
    ] {
        shows(&bridge, &answers(path, class), count).await;
    }
    bridge.kill();
}
