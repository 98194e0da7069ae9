//! What became of one event: told by `tail`, changed by `replay`.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::{Said, run};
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::nats;
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::streams::{Stream, connection};
use crate::support::wait::{SOON, eventually};
use crate::support::wire::Seen;

const FILTER: &str = "filter = { not = { exact = { id = \"k0/3\" } } }";

/// Refuses `k0/1`.
fn receiver() -> Receiver {
    let refuses = |events: &[Seen]| match events[0].id() {
        "k0/1" => Answer::Status(422),
        _ => Answer::Status(204),
    };
    Receiver::start(Box::new(refuses))
}

/// Five events go their ways, and a sixth comes when nobody reads.
async fn states_are_told(
    settings: &Settings,
    route: &str,
    receiver: &Receiver,
    write: impl AsyncFn(&[Numbered]),
) {
    let events = numbered(6, 1);
    write(&events[..5]).await;
    let bridge = Bridge::start(settings).await;
    let arrived = [0, 2, 4].map(|number: usize| events[number].clone());
    receiver.gets(&arrived).await;
    bridge.stop().await;
    write(&events[5..]).await;
    let of_one = async |id: &str| {
        let said = run("tail", settings, &["--route", route, "--id", id]).await;
        said.ends_with(0)
    };
    let is = |said: &Said, states: &[&str]| assert_eq!(said.values("state"), states, "{said:#?}");
    for (number, state) in [
        (0, "delivered"),
        (1, "dead-letter"),
        (2, "delivered"),
        (3, "filtered"),
        (4, "delivered"),
        (5, "waiting"),
    ] {
        is(&of_one(&events[number].id()).await, &[state]);
    }
    let said = of_one("k0/1").await;
    assert!(
        said.out
            .contains(" kind=refused status=422 attempts=1 letter="),
        "{}",
        said.out
    );
    let replay = async |words: &[&str]| {
        let words = [&["--route", route], words].concat();
        run("replay", settings, &words).await
    };
    let said = replay(&["--all"]).await.ends_with(1);
    assert_eq!(said.values("kind"), ["refused"]);
    let said = replay(&["--all", "--dismiss", "--dry-run"]).await;
    let said = said.ends_with(0);
    assert!(said.out.starts_with("would-dismiss "), "{}", said.out);
    is(&of_one("k0/1").await, &["dead-letter"]);
    let said = replay(&["--id", "k0/1", "--dismiss"]).await.ends_with(0);
    assert!(said.out.starts_with("dismissed "), "{}", said.out);
    for words in [
        "1 dismissed: --all sends them no more",
        "WARN",
        "dead letters were dismissed",
        "count=1",
    ] {
        assert!(said.errors.contains(words), "{}", said.errors);
    }
    is(&of_one("k0/1").await, &["dismissed"]);
    let letters = async || {
        let said = run("tail", settings, &["--dead-letters", route]).await;
        said.ends_with(0)
    };
    is(&letters().await, &["dismissed"]);
    receiver.follow(first([]));
    for more in [&["--all"][..], &["--all", "--dismiss"]] {
        let said = replay(more).await.ends_with(0);
        assert_eq!(said.out, "");
        assert!(
            said.errors.contains("1 dismissed earlier"),
            "{}",
            said.errors
        );
    }
    assert_eq!(receiver.accepted_count(), 3);
    let said = replay(&["--id", "k0/1"]).await.ends_with(0);
    assert!(said.out.starts_with("delivered "), "{}", said.out);
    assert_eq!(receiver.accepted_count(), 4);
    is(&of_one("k0/1").await, &["replayed"]);
    is(&letters().await, &["replayed"]);
}

#[tokio::test]
async fn of_a_topic_with_dead_letters_in_a_topic() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "states").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = receiver();
    let route = Route::to_webhook(&topic, &receiver, &dead).own(FILTER);
    let settings = Settings::new(&broker).route(route);
    let write = async |events: &[Numbered]| {
        topic.write(events.iter().map(|it| it.record(10))).await;
    };
    states_are_told(&settings, "to-webhook", &receiver, write).await;
}

#[tokio::test]
async fn of_a_topic_with_dead_letters_in_a_file_and_in_a_stream() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let folder = tempfile::tempdir().unwrap();
    let stream = Stream::create(&server, "dead").await;
    for dead_letter in [
        format!("file = {:?}\n", folder.path().join("dead.jsonl")),
        format!(
            "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
            stream.subject, stream.name
        ),
    ] {
        let topic = Topic::create(&broker, "states").await;
        let receiver = receiver();
        let sink = format!("url = \"{}\"\n", receiver.url());
        let route = Route::from_topic(&topic, &sink, &dead_letter);
        let settings = Settings::new(&broker)
            .connection(&connection(&server))
            .route(route.named("out").own(FILTER));
        let write = async |events: &[Numbered]| {
            topic.write(events.iter().map(|it| it.record(10))).await;
        };
        states_are_told(&settings, "out", &receiver, write).await;
    }
}

#[tokio::test]
async fn of_a_stream() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    for own in [FILTER.to_owned(), format!("{FILTER}\norder = \"none\"")] {
        let stream = nats::Stream::create(&server, "states").await;
        let dead = Topic::create(&broker, "dead").await;
        let receiver = receiver();
        let route = Route::from_stream(&stream, &receiver, &dead).own(&own);
        let settings = Settings::new(&broker).nats(&server, "").route(route);
        let write = async |events: &[Numbered]| stream.write(events, 10).await;
        states_are_told(&settings, "to-webhook", &receiver, write).await;
    }
}

#[tokio::test]
async fn what_is_no_longer_in_its_topic_is_found_among_the_dead_letters() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "states").await;
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let settings = Settings::new(&broker).route(route);
    topic.write([numbered(1, 1)[0].record(10)]).await;
    let bridge = Bridge::start(&settings).await;
    eventually("it is a dead letter", SOON, async || {
        (dead.len().await == 1).then_some(())
    })
    .await;
    bridge.stop().await;
    topic.delete_records().await;
    let words = ["--route", "to-webhook", "--id", "k0/0"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.values("state"), ["dead-letter"]);
    assert!(said.out.contains(&format!(" kafka:{}/", dead.name)));
    // What cannot be read as a dead letter is in the way of `--all` until somebody dismisses it.
    dead.write([Record::new(None, Some(b"no dead letter"))])
        .await;
    receiver.follow(first([]));
    let replay = async |words: &[&str]| {
        let words = [&["--route", "to-webhook", "--all"], words].concat();
        run("replay", &settings, &words).await
    };
    let said = replay(&[]).await.ends_with(1);
    assert!(said.errors.contains("1 unreadable"), "{}", said.errors);
    let said = replay(&["--dismiss"]).await.ends_with(0);
    assert!(said.out.starts_with("dismissed "), "{}", said.out);
    assert!(said.errors.contains("1 delivered by"), "{}", said.errors);
    let said = replay(&[]).await.ends_with(0);
    assert_eq!(said.out, "");
    assert_eq!(receiver.accepted_count(), 1);
}
