//! Streams and servers at fault under a route to JetStream: what holds it, and what does not.

mod forgetful;
mod memory;

use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::jetstream;
use async_nats::jetstream::stream::Config;
use tempfile::TempDir;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::numbered;
use crate::support::flow::Feeder;
use crate::support::kafka::Topic;
use crate::support::nats::Server;
use crate::support::receiver::{Answer, Receiver};
use crate::support::settings::{Route, Settings};
use crate::support::streams::{Stored, Stream};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire;

const HELD: &str = "destination refuses us";

fn place(stream: &Stream) -> String {
    let Stream { name, subject, .. } = stream;
    format!("nats = \"main\"\nsubject = \"{subject}\"\nstream = \"{name}\"\n")
}

fn route(topic: &Topic, stream: &Stream, dead: &Topic) -> Route {
    let dead_letter = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    Route::from_topic(topic, &place(stream), &dead_letter)
}

fn ids(stored: &[Stored]) -> Vec<String> {
    let seen = |stored: &Stored| wire::of_nats(&stored.headers, &stored.payload);
    stored.iter().map(|one| seen(one).id().to_owned()).collect()
}

async fn topics(word: &str) -> (Topic, Topic) {
    let broker = brokers::kafka();
    (
        Topic::create(&broker, word).await,
        Topic::create(&broker, "dead").await,
    )
}

async fn holds(stream: &Stream, count: usize) {
    eventually("the stream has them", 2 * SOON, async || {
        (stream.len().await >= count).then_some(())
    })
    .await;
}

/// Exchanges with the destination whose outcome begins with this.
async fn attempts(bridge: &Bridge, outcome: &str) -> f64 {
    let name = format!("cenl_attempts_total{{route=\"from-topic\",outcome=\"{outcome}");
    bridge.metric(&name).await.unwrap_or_default()
}

async fn attempts_exceed(bridge: &Bridge, outcome: &str, count: f64) {
    eventually(outcome, SOON, async || {
        (attempts(bridge, outcome).await > count).then_some(())
    })
    .await;
}

/// Nobody listens on the subject just before the connection is lost and just after it is back: two
/// moments, however long the outage between them was.
#[tokio::test]
async fn a_stream_that_is_missing_around_an_outage_holds_nothing() {
    let (mut server, (topic, dead)) = (Server::start("").await, topics("around").await);
    let stream = Stream::create(&server.address(), "around").await;
    let sent = numbered(2, 1);
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), "")
        .route(route(&topic, &stream, &dead).sink("ack_timeout = \"300ms\""));
    let bridge = Bridge::start(&settings).await;
    topic.write([sent[0].record(50)]).await;
    holds(&stream, 1).await;
    let first = stream.read().await;
    let context = jetstream::new(stream.client.clone());
    context.delete_stream(&stream.name).await.unwrap();
    topic.write([sent[1].record(50)]).await;
    attempts_exceed(&bridge, "unreachable", 0.0).await;
    let before = attempts(&bridge, "unreachable").await;
    server.kill();
    // Together longer than a missing stream is waited for at a start.
    attempts_exceed(&bridge, "unreachable", before + 5.0).await;
    let before = attempts(&bridge, "un").await;
    server.again().await;
    // It is missing again, for longer than one that was never there may be.
    attempts_exceed(&bridge, "un", before + 15.0).await;
    let stream = Stream {
        client: async_nats::connect(server.address()).await.unwrap(),
        ..stream
    };
    stream.make(Config::default()).await;
    holds(&stream, 1).await;
    assert!(!bridge.log().contains(HELD), "{}", bridge.log());
    bridge.stop().await;
    assert_eq!((dead.len().await, topic.lag(&topic.name).await), (0, 0));
    let stored = [ids(&first), ids(&stream.read().await)].concat();
    Verdict::of("missing around an outage", &sent, &stored, &[]).is_clean();
}

/// It stores what it gets and says nothing: every attempt would be one more copy.
#[tokio::test]
async fn a_stream_that_never_acknowledges_holds_the_route_until_it_does() {
    let (server, (topic, dead)) = (brokers::nats(), topics("silent").await);
    let stream = Stream::named(&server, "silent").await;
    let config = Config {
        no_ack: true,
        duplicate_window: Duration::from_millis(100),
        ..Config::default()
    };
    stream.make(config.clone()).await;
    let sent = numbered(6, 3);
    topic.write(sent.iter().map(|event| event.record(50))).await;
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .route(route(&topic, &stream, &dead).sink("ack_timeout = \"1s\""));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["ERROR", "no_ack", &stream.name]).await;
    bridge.says(&["ERROR", HELD, "stream-no-ack"]).await;
    // Probes go on, and store nothing.
    let probes = attempts(&bridge, "untrusted").await;
    let copies = stream.len().await;
    assert!(copies <= sent.len(), "{copies} copies");
    attempts_exceed(&bridge, "untrusted", probes + 5.0).await;
    assert_eq!(stream.len().await, copies);
    let config = Config {
        name: stream.name.clone(),
        subjects: vec![stream.subject.clone()],
        no_ack: false,
        ..config
    };
    let context = jetstream::new(stream.client.clone());
    context.update_stream(config).await.unwrap();
    eventually("the route goes on", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(dead.len().await, 0);
    let stored = ids(&stream.read().await);
    assert!(stored.len() <= copies + sent.len(), "{stored:?}");
    Verdict::of("no_ack", &sent, &stored, &[]).keeps_the_promise();
}

/// The stream acknowledged until somebody changed it: the first answer that is missing tells.
#[tokio::test]
async fn a_stream_that_stops_acknowledging_holds_the_route_until_it_does_again() {
    let (server, (topic, dead)) = (brokers::nats(), topics("muted").await);
    let stream = Stream::create(&server, "muted").await;
    let sent = numbered(12, 3);
    let write = |numbers: std::ops::Range<usize>| {
        topic.write(sent[numbers].iter().map(|event| event.record(50)))
    };
    let settings = Settings::new(&brokers::kafka())
        .nats(&server, "")
        .route(route(&topic, &stream, &dead).sink("ack_timeout = \"1s\""));
    let bridge = Bridge::start(&settings).await;
    write(0..6).await;
    eventually("the first are settled", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    let context = jetstream::new(stream.client.clone());
    let info = context.get_stream(&stream.name).await.unwrap();
    let mut config = info.cached_info().config.clone();
    config.no_ack = true;
    context.update_stream(&config).await.unwrap();
    write(6..12).await;
    bridge.says(&["ERROR", "no_ack", &stream.name]).await;
    bridge.says(&["ERROR", HELD, "stream-no-ack"]).await;
    // Probes go on, and store nothing.
    let (probes, copies) = (attempts(&bridge, "untrusted").await, stream.len().await);
    attempts_exceed(&bridge, "untrusted", probes + 5.0).await;
    assert_eq!(stream.len().await, copies);
    config.no_ack = false;
    context.update_stream(&config).await.unwrap();
    eventually("the route goes on", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(dead.len().await, 0);
    let stored = ids(&stream.read().await);
    Verdict::of("no_ack set meanwhile", &sent, &stored, &[]).is_clean();
}

/// A server with a user that may do everything and one that may subscribe to `subscribe` only.
fn users(subscribe: &str) -> String {
    format!(
        "authorization {{ users: [\n{{ user: all, password: p }}\n\
         {{ user: u, password: p, permissions: {{ publish: \">\", subscribe: \"{subscribe}\" }} }}\n] }}"
    )
}

#[tokio::test]
async fn answers_that_we_may_not_hear_hold_the_route_until_we_may() {
    let (server, (topic, dead)) = (Server::start(&users("none.>")).await, topics("deaf").await);
    let own = ConnectOptions::with_user_and_password("all".into(), "p".into());
    let stream = Stream {
        name: "DEAF".to_owned(),
        subject: "deaf.s".to_owned(),
        client: own.connect(server.address()).await.unwrap(),
    };
    let config = Config {
        duplicate_window: Duration::from_millis(100),
        ..Config::default()
    };
    stream.make(config).await;
    let folder = TempDir::new().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "p").unwrap();
    let secrets = format!("user = \"u\"\nsecrets = {{ password = {{ file = {password:?} }} }}");
    let sent = numbered(6, 3);
    topic.write(sent.iter().map(|event| event.record(50))).await;
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), &secrets)
        .route(route(&topic, &stream, &dead).sink("ack_timeout = \"1s\""));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["ERROR", HELD, "not-authorised"]).await;
    let probes = attempts(&bridge, "untrusted").await;
    attempts_exceed(&bridge, "untrusted", probes + 5.0).await;
    server.reload(&users("_INBOX.>"));
    eventually("the route goes on", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(dead.len().await, 0);
    let stored = ids(&stream.read().await);
    Verdict::of("answers not heard", &sent, &stored, &[]).keeps_the_promise();
}

/// What the server does not take, it does not take as a dead letter either: people are told, at the
/// start and when it happens, and the other keys go on.
#[tokio::test]
async fn a_dead_letter_too_large_for_the_same_server_is_told() {
    let (server, (topic, _)) = (
        Server::start("max_payload: 4096").await,
        topics("both").await,
    );
    let (stream, dead) = (
        Stream::create(&server.address(), "both").await,
        Stream::create(&server.address(), "dead").await,
    );
    let sent = numbered(9, 3);
    let padding = |number| if number == 0 { 8000 } else { 50 };
    let record = |index: usize| sent[index].record(padding(index));
    topic.write((0..sent.len()).map(record)).await;
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), "")
        .route(Route::from_topic(&topic, &place(&stream), &place(&dead)));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["WARN", "do not fit", "from-topic"]).await;
    bridge
        .says(&["ERROR", "can never be written", "too-large"])
        .await;
    let others = sent.iter().filter(|event| event.key != sent[0].key).count();
    holds(&stream, others).await;
    let unwritable = "cenl_dead_letters_unwritable{route=\"from-topic\"}";
    eventually("the alarm is shown", SOON, async || {
        (bridge.metric(unwritable).await == Some(1.0)).then_some(())
    })
    .await;
    bridge.stop().await;
    // Nothing is given up.
    assert_eq!(dead.len().await, 0);
    assert!(topic.lag(&topic.name).await > 0);
}

/// The event is small enough, and its dead letter is not: people are told, it is not lost, holds up no
/// other key while its window has room, and is written as soon as its place takes it.
#[tokio::test]
async fn a_dead_letter_that_its_reasons_make_too_large_stands_under_an_alarm() {
    let (mut server, (topic, _)) = (
        Server::start("max_payload: 4096").await,
        topics("nearly").await,
    );
    let dead = Stream::create(&server.address(), "dead").await;
    let sent = numbered(12, 4);
    let culprits = [sent[0].id(), sent[1].id()];
    let receiver = Receiver::start(Box::new(move |events| {
        let is_culprit = culprits.iter().any(|id| id == events[0].id());
        Answer::Status(if is_culprit { 422 } else { 204 })
    }));
    let nearly = 4000 - sent[0].json(0).len();
    let record = |index: usize| sent[index].record(if index == 0 { nearly } else { 50 });
    topic.write((0..sent.len()).map(record)).await;
    let sink = format!("url = \"{}\"\n", receiver.url());
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), "")
        .route(Route::from_topic(&topic, &sink, &place(&dead)));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["WARN", "do not fit", "max_payload"]).await;
    bridge
        .says(&["ERROR", "can never be written", "too-large"])
        .await;
    let others = sent.iter().filter(|event| event.key != sent[0].key).count() - 1;
    until("the other keys go on", SOON, || {
        receiver.accepted_count() >= others
    })
    .await;
    holds(&dead, 1).await;
    let failures = "cenl_dead_letter_failures_total{route=\"from-topic\"}";
    eventually("it is tried again", SOON, async || {
        (bridge.metric(failures).await? > 2.0).then_some(())
    })
    .await;
    // The other dead letter does not end the alarm.
    for alarm in ["stuck", "unwritable"] {
        let name = format!("cenl_dead_letters_{alarm}{{route=\"from-topic\"}}");
        assert_eq!(bridge.metric(&name).await, Some(1.0), "{alarm}");
    }
    let told = bridge.log().matches("can never be written").count();
    assert_eq!(told, 1, "{}", bridge.log());
    server.stop();
    server.configure("max_payload: 8192");
    server.again().await;
    eventually("nothing is left", 2 * SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    let stuck = "cenl_dead_letters_stuck{route=\"from-topic\"}";
    eventually("the alarm is over", SOON, async || {
        (bridge.metric(stuck).await? == 0.0).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(dead.len().await, 2);
    assert_eq!(receiver.accepted_count(), sent.len() - 2);
}

#[tokio::test]
async fn a_server_killed_for_a_while_in_mid_flow_holds_nothing_and_loses_nothing() {
    let (mut server, (topic, dead)) = (Server::start("").await, topics("killed").await);
    let stream = Stream::create(&server.address(), "killed").await;
    let settings = Settings::new(&brokers::kafka())
        .nats(&server.address(), "")
        .route(route(&topic, &stream, &dead).sink("ack_timeout = \"2s\""));
    let feeder = Feeder::start(&topic, 20);
    let bridge = Bridge::start(&settings).await;
    for _ in 0..2 {
        let goal = stream.len().await + 500;
        holds(&stream, goal).await;
        let before = attempts(&bridge, "unreachable").await;
        server.kill();
        // It stays away for as long as some attempts take.
        attempts_exceed(&bridge, "unreachable", before + 8.0).await;
        server.again().await;
    }
    let goal = stream.len().await + 500;
    holds(&stream, goal).await;
    let sent = feeder.finish().await;
    holds(&stream, sent.len()).await;
    assert!(!bridge.log().contains(HELD), "{}", bridge.log());
    bridge.stop().await;
    assert_eq!((dead.len().await, topic.lag(&topic.name).await), (0, 0));
    let stored = ids(&stream.read().await);
    Verdict::of("killed for a while", &sent, &stored, &[]).is_clean();
}
