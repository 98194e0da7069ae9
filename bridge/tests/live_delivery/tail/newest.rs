//! What `tail` shows where nothing else is asked for, and what of the settings it needs for it.

use async_nats::jetstream::stream::Config;
use jiff::Timestamp;

use super::{ids_in, topic_of};
use crate::elsewhere::settings_of;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::{run, start};
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::streams::Stream;
use crate::support::wait::{SOON, eventually};

fn ids(events: &[Numbered]) -> Vec<String> {
    events.iter().map(Numbered::id).collect()
}

#[tokio::test]
async fn the_newest_are_shown_across_partitions() {
    let (topic, _dead, _receiver, settings) = topic_of(&[]).await;
    let now = Timestamp::now().as_millisecond();
    // Keys, and so partitions, take turns.
    let events = numbered(60, 6);
    let records = events.iter().map(|event| Record {
        timestamp_ms: Some(now - 60_000 + 1_000 * event_index(event)),
        ..event.record(10)
    });
    topic.write(records).await;
    let look = async |words: &[&str]| ids_in(&topic, &settings, words).await;
    assert_eq!(look(&[]).await, ids(&events[50..]));
    assert_eq!(look(&["--last", "3"]).await, ids(&events[57..]));
    assert_eq!(look(&["--last", "1000"]).await, ids(&events));
    assert_eq!(look(&["--since", "7d"]).await.len(), 60);
    // Nothing of it is ever seen, and it lies between the end and what is: of one partition, then of all.
    let aborted = numbered(120, 6).split_off(60);
    for key in ["k0", "k"] {
        let aborted = aborted.iter().filter(|event| event.key.starts_with(key));
        let aborted = aborted.map(|event| event.record(10)).collect();
        topic.write_transaction(aborted, false).await;
        assert_eq!(look(&[]).await, ids(&events[50..]));
    }
}

/// The order in which `numbered` made them for six keys.
fn event_index(event: &Numbered) -> i64 {
    let key = event.key.trim_start_matches('k');
    let key: i64 = key.parse().unwrap();
    event.number as i64 * 6 + key
}

#[tokio::test]
async fn the_newest_dead_letters_of_a_route_are_found_behind_those_of_another() {
    let broker = brokers::kafka();
    let [topic, other] = [
        Topic::create(&broker, "mine").await,
        Topic::create(&broker, "theirs").await,
    ];
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let theirs = Route::to_webhook(&other, &receiver, &dead).named("other");
    let settings = Settings::new(&broker)
        .route(Route::to_webhook(&topic, &receiver, &dead))
        .route(theirs.dead_letter("stop_after = 0"));
    let bridge = Bridge::start(&settings).await;
    let events = numbered(103, 1);
    let (mine, theirs) = events.split_at(3);
    for (topic, events, expected) in [(&topic, mine, 3), (&other, theirs, 103)] {
        topic.write(events.iter().map(|it| it.record(10))).await;
        eventually("they are dead letters", SOON, async || {
            (dead.len().await == expected).then_some(())
        })
        .await;
    }
    bridge.stop().await;
    let words = ["--dead-letters", "to-webhook", "--last", "2"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.values("id"), ids(&mine[1..]));
}

#[tokio::test]
async fn every_stream_of_a_subject_is_read() {
    let server = brokers::nats();
    let settings = settings_of(&server).await;
    let subject = Stream::named(&server, "both").await.subject;
    let mut streams = Vec::new();
    for word in ["one", "two"] {
        let mut stream = Stream::named(&server, word).await;
        stream.subject = format!("{subject}.{word}");
        stream.make(Config::default()).await;
        streams.push(stream);
    }
    let headers = [("Content-Type", "application/cloudevents+json")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let events = numbered(20, 2);
    for event in &events {
        let stream = &streams[usize::from(event.key == "k1")];
        stream.write(&headers, event.json(10).into_bytes()).await;
    }
    let all = format!("{subject}.*");
    let place = ["--nats", "main", "--subject", &all];
    let said = run("tail", &settings, &place).await.ends_with(0);
    assert_eq!(said.lines().len(), 10);
    let words = [&place[..], &["--since", "earliest"]].concat();
    let said = run("tail", &settings, &words).await.ends_with(0);
    for stream in &streams {
        let position = format!(" nats:{}/", stream.name);
        let of_stream = said.lines().into_iter();
        let of_stream = of_stream.filter(|line| line.contains(&position));
        assert_eq!(of_stream.count(), 10, "{said:#?}");
    }
    // Both are followed.
    let words = [&place[..], &["--follow", "--id", "k0/77"]].concat();
    let running = start("tail", &settings, &[&words[..], &["--count", "2"]].concat());
    let ended = tokio::spawn(running.end());
    let late = Numbered {
        key: "k0".to_owned(),
        number: 77,
    };
    eventually("one of each was shown", 2 * SOON, async || {
        for stream in &streams {
            stream.write(&headers, late.json(10).into_bytes()).await;
        }
        ended.is_finished().then_some(())
    })
    .await;
    let said = ended.await.unwrap().ends_with(0);
    assert_eq!(said.values("id"), ["k0/77", "k0/77"]);
}

#[tokio::test]
async fn only_what_is_read_must_be_there() {
    let (topic, _dead, _receiver, complete) = topic_of(&numbered(3, 1)).await;
    let broker = brokers::kafka();
    let secret = "[kafka.closed]\nbrokers = \"127.0.0.1:1\"\n\
                  secrets = { \"sasl.password\" = { file = \"/nowhere/secret\" } }\n";
    let place = ["--kafka", "main", "--topic", &topic.name];
    let routeless = Settings::new(&broker).connection(secret);
    let said = run("tail", &routeless, &place).await.ends_with(0);
    assert_eq!(said.lines().len(), 3);
    let elsewhere = "kafka = \"closed\"\ntopic = \"t\"\n";
    let closed = Route::from_topic(&topic, elsewhere, elsewhere);
    let settings = complete.connection(secret).route(closed);
    for words in [
        &["--route", "to-webhook"][..],
        &["--route", "to-webhook", "--id", "k0/1"],
        &["--dead-letters", "to-webhook"],
        &["--route", "from-topic"],
    ] {
        run("tail", &settings, words).await.ends_with(0);
    }
    for (command, words) in [
        ("tail", &["--dead-letters", "from-topic"][..]),
        ("check-config", &[]),
    ] {
        let said = run(command, &settings, words).await.ends_with(64);
        assert!(
            said.errors.contains("kafka.closed.secrets"),
            "{}",
            said.errors
        );
    }
}
