//! `tail` and `replay` where messages lie in NATS or in a file.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use async_nats::jetstream;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::{Said, run, start};
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::nats::binary_headers;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::streams::{Stream, connection};
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire::Seen;

/// Dead letters of a topic's events come back from where `dead_letter` keeps them, as they were.
async fn come_back(tables: &str, dead_letter: &str, kept: impl AsyncFn() -> usize) {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "elsewhere").await;
    let sent = numbered(120, 6);
    let records = sent.iter().map(|event| match event.number % 2 {
        0 => event.record(100),
        _ => event.binary_record(100).header("x-trace", "één %41\t=&"),
    });
    topic.write(records).await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let url = receiver.url();
    let sink =
        format!("url = \"{url}\"\nmode = \"as-received\"\nforward_headers = [\"x-trace\"]\n");
    let settings = Settings::new(&broker).connection(tables).route(
        Route::from_topic(&topic, &sink, dead_letter)
            .dead_letter("stop_after = 0")
            .named("out"),
    );
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (kept().await == sent.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    let all: BTreeSet<_> = sent.iter().map(Numbered::id).collect();
    let set = |said: &Said| said.values("id").into_iter().collect::<BTreeSet<_>>();

    let words = ["--dead-letters", "out", "--since", "earliest"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!((said.lines().len(), set(&said)), (120, all.clone()));
    let words = ["--dead-letters", "out", "--id", "k3/7", "--since", "10m"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    let words = [
        "kind=refused status=422 attempts=1 route=out from=kafka:",
        " mode=binary ",
    ];
    assert_eq!(said.lines().len(), 1);
    assert!(
        words.iter().all(|word| said.out.contains(word)),
        "{}",
        said.out
    );

    let is_bad = |seen: &Seen| Numbered::of_id(seen.id()).unwrap().number % 5 == 2;
    receiver.follow(Box::new(move |events: &[Seen]| {
        Answer::Status(if events.iter().any(is_bad) { 400 } else { 204 })
    }));
    let replay = async || run("replay", &settings, &["--route", "out", "--all"]).await;
    let said = replay().await.ends_with(1);
    assert_eq!(set(&said), all);
    let said = replay().await.ends_with(1);
    let failed = said.lines();
    assert_eq!(failed.len(), 24, "{said:#?}");
    assert!(failed.iter().all(|line| line.starts_with("failed ")));
    receiver.follow(first([]));
    let said = replay().await.ends_with(0);
    assert_eq!(said.lines().len(), 24);
    assert_eq!(replay().await.ends_with(0).out, "");
    let accepted = receiver.accepted();
    assert_eq!(accepted.len(), 120, "no repeats");
    assert_eq!(accepted.into_iter().collect::<BTreeSet<_>>(), all);
    assert_eq!(kept().await, 120, "dead letters grew or shrank");
    // One replay at a time.
    receiver.follow(always(Answer::Hang));
    let before = receiver.came();
    let words = ["--route", "out", "--id", "k3/7"];
    let running = start("replay", &settings, &words);
    until("it sends", SOON, || receiver.came() > before).await;
    let said = replay().await.ends_with(1);
    assert!(said.errors.contains("another replay"), "{}", said.errors);
    running.signal("INT");
    running.end().await.ends_with(130);

    let exchanges = receiver.exchanges();
    for exchange in exchanges.iter().filter(|exchange| exchange.accepted) {
        let id = exchange.events[0].id();
        let original = exchanges.iter().find(|other| other.events[0].id() == id);
        let original = original.unwrap();
        assert!(!original.accepted);
        assert_eq!(exchange.body, original.body, "{id}");
        assert_eq!(exchange.headers, original.headers, "{id}");
    }
}

#[tokio::test]
async fn dead_letters_come_back_from_a_stream() {
    let server = brokers::nats();
    let stream = Stream::create(&server, "dead").await;
    let lines = format!(
        "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
        stream.subject, stream.name
    );
    come_back(&connection(&server), &lines, async || stream.len().await).await;
}

#[tokio::test]
async fn dead_letters_come_back_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    let lines = format!("file = {file:?}\n");
    let kept = async || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.lines().count()
    };
    come_back("", &lines, kept).await;
}

#[tokio::test]
async fn an_empty_place_has_nothing_to_replay() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dead.jsonl");
    std::fs::write(&file, "").unwrap();
    let topic = Topic::create(&broker, "empty").await;
    let dead = Topic::create(&broker, "dead").await;
    let stream = Stream::create(&server, "empty").await;
    let sink = "url = \"http://127.0.0.1:9/\"\n";
    for dead_letter in [
        format!("file = {file:?}\n"),
        format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name),
        format!(
            "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
            stream.subject, stream.name
        ),
    ] {
        let settings = Settings::new(&broker)
            .connection(&connection(&server))
            .route(Route::from_topic(&topic, sink, &dead_letter).named("out"));
        for more in [&[][..], &["--dry-run"]] {
            let words = [&["--route", "out", "--all"], more].concat();
            let said = run("replay", &settings, &words).await.ends_with(0);
            assert!(said.errors.contains("nothing to replay"), "{}", said.errors);
            assert_eq!(said.out, "");
        }
    }
}

/// Settings with `[nats.main]`, and a route that nobody runs.
pub(crate) async fn settings_of(server: &str) -> Settings {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "unused").await;
    let receiver = Receiver::start(first([]));
    let route = Route::to_webhook(&topic, &receiver, &topic).own("on_error = \"hold\"");
    Settings::new(&broker)
        .connection(&connection(server))
        .route(route.without_dead_letter())
}

#[tokio::test]
async fn a_stream_is_shown_and_nothing_is_left_behind() {
    let server = brokers::nats();
    let stream = Stream::create(&server, "shown").await;
    let settings = settings_of(&server).await;
    let context = jetstream::new(stream.client.clone());
    let publish = async |event: &Numbered| {
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Content-Type", "application/cloudevents+json");
        let subject = stream.subject.clone();
        let sent = context.publish_with_headers(subject, headers, event.json(50).into());
        sent.await.unwrap().await.unwrap();
    };
    let sent = numbered(300, 3);
    for event in &sent {
        publish(event).await;
    }
    let place = ["--nats", "main", "--subject", &stream.subject];
    let look = async |words: &[&str]| run("tail", &settings, &[&place[..], words].concat()).await;
    let said = look(&["--since", "earliest"]).await.ends_with(0);
    let ids: Vec<_> = sent.iter().map(Numbered::id).collect();
    assert_eq!(said.values("id"), ids);
    let position = format!(" nats:{}/", stream.name);
    assert!(said.lines().iter().all(|line| line.contains(&position)));
    assert_eq!(
        look(&["--id", "k2/9"]).await.ends_with(0).values("id"),
        ["k2/9"]
    );
    assert_eq!(look(&["--id", "k2"]).await.ends_with(1).out, "");
    assert_eq!(
        look(&["--since", "10m", "--count", "7"]).await.values("id"),
        ids[..7]
    );
    let time = said.lines()[200].split(' ').next().unwrap().to_owned();
    let young = look(&["--since", &time]).await.ends_with(0).values("id");
    assert!(
        young.ends_with(&ids[200..]),
        "since {time}: {} shown",
        young.len()
    );
    assert!(young.len() < 300);
    assert_eq!(
        look(&["--since", "2200-01-01T00:00:00Z"])
            .await
            .ends_with(0)
            .out,
        ""
    );

    let words = [&place[..], &["--follow", "--since", "earliest"]].concat();
    let mut running = start("tail", &settings, &words);
    let mut lines = BufReader::new(running.child.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(300).count(), 300);
    publish(&Numbered::nth(300, 3)).await;
    let line = lines.next().unwrap().unwrap();
    assert!(line.contains(" id=k0/100 "), "{line}");
    running.signal("INT");
    running.end().await.ends_with(0);
    let info = context.get_stream(&stream.name).await.unwrap();
    assert_eq!(info.cached_info().state.consumer_count, 0);
}

#[tokio::test]
async fn a_core_subject_can_only_be_followed() {
    let server = brokers::nats();
    let stream = Stream::named(&server, "core").await;
    let settings = settings_of(&server).await;
    let place = ["--nats", "main", "--subject", &stream.subject];
    let said = run("tail", &settings, &place).await.ends_with(1);
    assert!(
        said.errors.contains("it can only be followed"),
        "{}",
        said.errors
    );
    let words = [&place[..], &["--follow", "--count", "3"]].concat();
    let running = start("tail", &settings, &words);
    let sent = numbered(3, 1);
    let mut next = 0;
    // Nobody says when it listens, so events are published until it has seen three.
    let ended = tokio::spawn(running.end());
    eventually("three were heard", SOON, async || {
        let event = &sent[next % 3];
        next += 1;
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("content-type", "application/cloudevents+json");
        let subject = stream.subject.clone();
        let sent = stream
            .client
            .publish_with_headers(subject, headers, event.json(10).into());
        sent.await.unwrap();
        stream.client.flush().await.unwrap();
        ended.is_finished().then_some(())
    })
    .await;
    let said = ended.await.unwrap().ends_with(0);
    assert_eq!(said.values("id").len(), 3);
    let position = format!(" nats:{} ", stream.subject);
    assert!(
        said.lines().iter().all(|line| line.contains(&position)),
        "{}",
        said.out
    );
}

#[tokio::test]
async fn what_came_from_a_stream_comes_back_from_a_topic() {
    let server = brokers::nats();
    let broker = brokers::kafka();
    let stream = crate::support::nats::Stream::create(&server, "origin").await;
    let dead = Topic::create(&broker, "dead").await;
    let sent = numbered(90, 3);
    for event in &sent {
        let subject = stream.subject(&event.key);
        let headers = match event.number % 3 {
            0 => Some(binary_headers(event, "ce-datacontenttype")),
            1 => Some(binary_headers(event, "Content-Type")),
            // As before binary mode: a JSON event alone.
            _ => None,
        };
        let body = match headers {
            Some(_) => "{\"a\": 1.50}".to_owned(),
            None => event.json(50),
        };
        stream.write_one(subject, headers, body).await;
    }
    let receiver = Receiver::start(always(Answer::Status(422)));
    let route = Route::from_stream(&stream, &receiver, &dead);
    let settings = Settings::new(&broker).nats(&server, "").route(route);
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (dead.len().await == sent.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    stream.is_drained("bridge").await;
    let state = async || {
        let info = stream.consumer("bridge").await;
        (
            info.delivered.stream_sequence,
            info.ack_floor.stream_sequence,
        )
    };
    let before = state().await;
    let all: BTreeSet<_> = sent.iter().map(Numbered::id).collect();
    for words in [
        &["--route", "to-webhook"],
        &["--dead-letters", "to-webhook"],
    ] {
        let words = [&words[..], &["--since", "earliest"]].concat();
        let said = run("tail", &settings, &words).await.ends_with(0);
        assert_eq!(said.lines().len(), 90);
        assert_eq!(said.values("id").into_iter().collect::<BTreeSet<_>>(), all);
    }
    assert_eq!(state().await, before, "the durable was moved");
    receiver.follow(first([]));
    let words = ["--route", "to-webhook", "--all"];
    run("replay", &settings, &words).await.ends_with(0);
    // A dead letter without a record key lies in any partition, so among them there is no order.
    let accepted = receiver.accepted();
    assert_eq!(accepted.len(), sent.len(), "no repeats");
    assert_eq!(accepted.into_iter().collect::<BTreeSet<_>>(), all);
    assert_eq!(run("replay", &settings, &words).await.ends_with(0).out, "");
}
