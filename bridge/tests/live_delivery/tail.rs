//! `cenl-bridge tail` on a real broker: each message once, nobody disturbed.

mod newest;
mod states;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use jiff::Timestamp;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::{Said, convert, run, start};
use crate::support::events::{Numbered, SOURCE, TYPE, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::wait::{SOON, eventually};
use crate::support::wire::Seen;

/// A topic with events in both modes, and settings whose route reads it.
async fn topic_of(events: &[Numbered]) -> (Topic, Topic, Receiver, Settings) {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "tail").await;
    let dead = Topic::create(&broker, "dead").await;
    let records = events.iter().map(|event| match event.number % 2 {
        0 => event.record(300),
        _ => event.binary_record(300),
    });
    topic.write(records).await;
    let receiver = Receiver::start(first([]));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let settings = Settings::new(&broker).route(route);
    (topic, dead, receiver, settings)
}

fn ids(events: &[Numbered]) -> BTreeSet<String> {
    events.iter().map(Numbered::id).collect()
}

/// The ids shown, each of which must be there once.
fn once(said: &Said) -> BTreeSet<String> {
    let shown = said.values("id");
    let set: BTreeSet<_> = shown.iter().cloned().collect();
    assert_eq!(set.len(), shown.len(), "shown twice");
    set
}

#[tokio::test]
async fn every_message_is_shown_once_and_nobody_notices() {
    let sent = numbered(600, 24);
    let (topic, dead, receiver, settings) = topic_of(&sent).await;
    let broken = Record::new(None, Some(b"{\"geheim\""));
    let json = broken.header("content-type", "application/cloudevents+json");
    topic.write([json]).await;
    let bridge = Bridge::start(&settings).await;
    receiver.gets(&sent).await;
    eventually("the broken one is a dead letter", SOON, async || {
        (dead.len().await == 1).then_some(())
    })
    .await;
    bridge.stop().await;
    let more = numbered(700, 24).split_off(600);
    topic.write(more.iter().map(|event| event.record(10))).await;
    let lag = topic.lag(&topic.name).await;
    assert_eq!(lag, more.len());

    for place in [
        &["--route", "to-webhook"][..],
        &["--kafka", "main", "--topic", &topic.name],
    ] {
        let words = [place, &["--since", "earliest"]].concat();
        let said = run("tail", &settings, &words).await.ends_with(0);
        assert_eq!(once(&said), ids(&[sent.clone(), more.clone()].concat()));
        assert_eq!(said.errors, "");
        let lines = said.lines();
        let positions: BTreeSet<_> = lines.iter().map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(positions.len(), sent.len() + more.len() + 1);
        for line in lines {
            let (time, rest) = line.split_once(' ').unwrap();
            time.parse::<Timestamp>().unwrap();
            assert!(
                rest.starts_with(&format!("kafka:{}/", topic.name)),
                "{line}"
            );
            // What an event holds stays in it.
            assert!(
                !line.contains("padding") && !line.contains("geheim"),
                "{line}"
            );
            let is_event = line.contains(&format!(" type={TYPE} source={SOURCE} id="));
            assert!(is_event || line.contains(" undecodable="), "{line}");
        }
        for mode in ["structured", "binary"] {
            assert!(said.values("mode").iter().any(|shown| shown == mode));
        }
    }
    assert_eq!(topic.lag(&topic.name).await, lag, "an offset was committed");
    let groups = topic.groups().await;
    assert!(groups.contains(&topic.name), "the group of the route");
    assert!(!groups.iter().any(|name| name == "cenl-view"), "{groups:?}");
}

#[tokio::test]
async fn an_id_is_found_or_it_is_said_that_there_is_none() {
    let sent = numbered(200, 5);
    let (_topic, _dead, _receiver, settings) = topic_of(&sent).await;
    let look = async |id: &str| {
        let words = ["--route", "to-webhook", "--id", id];
        run("tail", &settings, &words).await
    };
    let said = look("k3/17").await.ends_with(0);
    assert_eq!(said.values("id"), ["k3/17"]);
    // A part of an id is another id.
    let said = look("k3/1").await.ends_with(0);
    assert_eq!(said.values("id"), ["k3/1"]);
    let said = look("k3/1000").await.ends_with(1);
    assert_eq!(said.out, "");
    let words = "no event with id \"k3/1000\" in kafka";
    assert!(said.errors.contains(words), "{}", said.errors);
    assert!(
        said.errors.contains("of 200 messages read"),
        "{}",
        said.errors
    );
}

/// The ids that `tail` shows of a topic.
async fn ids_in(topic: &Topic, settings: &Settings, words: &[&str]) -> Vec<String> {
    let place = ["--kafka", "main", "--topic", &topic.name];
    let said = run("tail", settings, &[&place[..], words].concat()).await;
    said.ends_with(0).values("id")
}

#[tokio::test]
async fn since_and_count_bound_what_is_shown() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "since").await;
    let settings = topic_of(&[]).await.3;
    let now = Timestamp::now().as_millisecond();
    let hours = |hours: i64| Some(now - hours * 3_600_000);
    let events = numbered(30, 1);
    let records = events.iter().map(|event| Record {
        timestamp_ms: hours(29 - event.number as i64),
        ..event.record(10)
    });
    topic.write(records).await;
    let look = async |words: &[&str]| ids_in(&topic, &settings, words).await;
    let ids = |numbers: std::ops::Range<usize>| -> Vec<String> {
        events[numbers].iter().map(Numbered::id).collect()
    };
    assert_eq!(look(&["--since", "earliest"]).await, ids(0..30));
    assert_eq!(look(&["--count", "3"]).await, ids(0..3));
    assert_eq!(look(&["--since", "150m"]).await, ids(27..30));
    assert_eq!(
        look(&["--since", "150m", "--count", "2"]).await,
        ids(27..29)
    );
    let moment = Timestamp::from_millisecond(now - 10 * 3_600_000).unwrap();
    assert_eq!(look(&["--since", &moment.to_string()]).await, ids(19..30));
    assert_eq!(look(&["--since", "2200-01-01T00:00:00Z"]).await, [""; 0]);
}

#[tokio::test]
async fn following_shows_what_arrives_until_ctrl_c() {
    let sent = numbered(100, 4);
    let (topic, _dead, _receiver, settings) = topic_of(&sent).await;
    // From the beginning, so that what is shown first says that it reads.
    let words = ["--route", "to-webhook", "--follow", "--since", "earliest"];
    let mut running = start("tail", &settings, &words);
    let mut lines = BufReader::new(running.child.stdout.take().unwrap()).lines();
    let mut shown = Vec::new();
    let mut take = |count: usize| {
        let more = lines.by_ref().take(count).map(Result::unwrap);
        shown.extend(more);
        shown.len()
    };
    assert_eq!(take(100), 100);
    let more = numbered(150, 4).split_off(100);
    topic.write(more.iter().map(|event| event.record(10))).await;
    assert_eq!(take(50), 150);
    running.signal("INT");
    let ended = running.end().await.ends_with(0);
    assert_eq!(ended.errors, "");
    let out = shown.join("\n");
    let said = Said { out, ..ended };
    assert_eq!(once(&said), ids(&[sent, more].concat()));
}

#[tokio::test]
async fn a_reader_who_goes_away_ends_it_quietly() {
    let (_topic, _dead, _receiver, settings) = topic_of(&numbered(3_000, 4)).await;
    let words = ["--route", "to-webhook", "--since", "earliest"];
    let mut running = start("tail", &settings, &words);
    let mut out = BufReader::new(running.child.stdout.take().unwrap());
    let mut line = String::new();
    assert!(out.read_line(&mut line).unwrap() > 0);
    drop(out);
    let said = running.end().await.ends_with(0);
    assert_eq!(said.errors, "");
}

#[tokio::test]
async fn whole_messages_are_read_by_convert() {
    let sent = numbered(60, 3);
    let (topic, _dead, _receiver, settings) = topic_of(&sent).await;
    let odd = Record {
        headers: vec![("x".to_owned(), None), ("x".to_owned(), Some(vec![0xff]))],
        ..Record::new(None, None)
    };
    topic.write([odd]).await;
    let since = ["--since", "earliest"];
    let words = [&["--route", "to-webhook", "--show", "capture"], &since[..]].concat();
    let said = run("tail", &settings, &words).await.ends_with(0);
    let records = topic.read().await;
    assert_eq!(said.lines().len(), records.len());
    for record in &records {
        let (partition, offset) = record.place;
        let position = format!("kafka:{}/{partition}/{offset}", topic.name);
        let line = said
            .lines()
            .into_iter()
            .find(|line| line.contains(&format!("\"{position}\"")));
        let capture: serde_json::Value = serde_json::from_str(line.unwrap()).unwrap();
        let base64 = |bytes: &Option<Vec<u8>>| match bytes {
            Some(bytes) => base64_simd::STANDARD.encode_to_string(bytes).into(),
            None => serde_json::Value::Null,
        };
        assert_eq!(capture["protocol"], "kafka");
        assert_eq!(capture["key_base64"], base64(&record.key));
        assert_eq!(capture["body_base64"], base64(&record.value));
        let time: Timestamp = capture["timestamp"].as_str().unwrap().parse().unwrap();
        assert_eq!(Some(time.as_millisecond()), record.timestamp_ms);
        assert_eq!(
            capture["headers"].as_array().unwrap().len(),
            record.headers.len()
        );
    }
    // The odd one is no event; every other is converted.
    let converted = convert(said.out).await.ends_with(1);
    let ids_of = converted.lines().into_iter().map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["id"].as_str().unwrap().to_owned()
    });
    assert_eq!(ids_of.collect::<BTreeSet<_>>(), ids(&sent));
    assert_eq!(converted.lines().len(), sent.len());
}

#[tokio::test]
async fn places_without_a_record_are_no_end_and_no_wait() {
    let (topic, _dead, _receiver, settings) = topic_of(&numbered(20, 4)).await;
    let aborted = numbered(40, 4).split_off(20);
    let committed = numbered(60, 4).split_off(40);
    let records = |events: &[Numbered]| -> Vec<Record> {
        events.iter().map(|event| event.record(10)).collect()
    };
    // Markers end each transaction, and aborted records are never seen: the topic ends in both.
    topic.write_transaction(records(&committed), true).await;
    topic.write_transaction(records(&aborted), false).await;
    let words = ["--route", "to-webhook", "--since", "earliest"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    let expected = [numbered(20, 4), committed].concat();
    assert_eq!(once(&said), ids(&expected));
    assert_eq!(said.errors, "");
}

#[tokio::test]
async fn memory_does_not_grow_with_the_topic() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "large").await;
    let settings = topic_of(&[]).await.3;
    let large: Vec<_> = numbered(1_500, 8);
    topic
        .write(large.iter().map(|event| event.record(64 << 10)))
        .await;
    let words = [
        "--kafka",
        "main",
        "--topic",
        &topic.name,
        "--since",
        "earliest",
        "--show",
        "capture",
    ];
    let mut running = start("tail", &settings, &words);
    let mut lines = BufReader::new(running.child.stdout.take().unwrap()).lines();
    // All but the last were written, so the process is still there to be asked.
    assert_eq!(
        lines.by_ref().take(1_499).map(Result::unwrap).count(),
        1_499
    );
    let status = format!("/proc/{}/status", running.child.id());
    let status = std::fs::read_to_string(status).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak: usize = peak
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    assert_eq!(lines.count(), 1);
    running.end().await.ends_with(0);
    println!("peak {peak} KiB of a topic of {} MiB", 1_500 * 64 / 1024);
    assert!(peak < 80 << 10, "{peak} KiB");
}

#[tokio::test]
async fn dead_letters_are_shown_with_their_reasons() {
    let broker = brokers::kafka();
    let (topic, other) = (
        Topic::create(&broker, "dead-tail").await,
        Topic::create(&broker, "dead-tail").await,
    );
    let dead = Topic::create(&broker, "dead").await;
    let refuses = |events: &[Seen]| match events[0].id() {
        "k0/1" => Answer::Status(422),
        "k0/2" => Answer::Status(503),
        _ => Answer::Status(204),
    };
    let receiver = Receiver::start(Box::new(refuses));
    let gone = Receiver::start(always(Answer::Status(400)));
    let settings = Settings::new(&broker)
        .route(Route::to_webhook(&topic, &receiver, &dead).retry("attempts_max = 2"))
        .route(Route::to_webhook(&other, &gone, &dead).named("other"));
    let events = numbered(5, 1);
    topic
        .write(events.iter().map(|event| event.record(10)))
        .await;
    topic.write([Record::new(None, Some(b"geheim"))]).await;
    let others = numbered(6, 2).split_off(5);
    other
        .write(others.iter().map(|event| event.record(10)))
        .await;
    let bridge = Bridge::start(&settings).await;
    eventually("four dead letters", SOON, async || {
        (dead.len().await == 4).then_some(())
    })
    .await;
    bridge.stop().await;

    let said = run("tail", &settings, &["--dead-letters", "to-webhook"]).await;
    let said = said.ends_with(0);
    let mut lines = said.lines();
    assert_eq!(lines.len(), 3, "{said:#?}");
    lines.sort_by_key(|line| line.split_once("kind=").map(|(_, kind)| kind.to_owned()));
    for (line, words) in lines.iter().zip([
        &["kind=exhausted status=503 attempts=2", " id=k0/2 "][..],
        &["kind=refused status=422 attempts=1", " id=k0/1 "],
        &["kind=undecodable status=", "attempts=0", " undecodable="],
    ]) {
        for word in words {
            assert!(line.contains(word), "{word} in {line}");
        }
        assert!(line.contains(" route=to-webhook "), "{line}");
        assert!(line.contains(" state=dead-letter "), "{line}");
        assert!(
            line.contains(&format!(" from=kafka:{}/", topic.name)),
            "{line}"
        );
        assert!(!line.contains("geheim"), "{line}");
    }
    let words = ["--dead-letters", "other", "--id", "k1/2", "--since", "10m"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.values("kind"), ["refused"]);
    let words = ["--dead-letters", "other", "--since", "2200-01-01T00:00:00Z"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.out, "");
    assert!(said.errors.contains("nothing to show"), "{}", said.errors);
}
