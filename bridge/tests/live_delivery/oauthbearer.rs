//! Kafka with OAUTHBEARER: tokens of a real authorization server, at a broker that checks their signature and closes a
//! connection whose token has expired.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::support::authorization::{AuthorizationServer, KEY_ID};
use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker, certificate};
use crate::support::client::Client;
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};
use crate::support::wire;

/// Seconds.
const LIFETIME: u64 = 4;

fn settings(broker: &Broker, server: &AuthorizationServer) -> Settings {
    Settings::written(format!(
        "[kafka.main]\nbrokers = \"{}\"\ncredentials = \"main\"\nproperties = {{ \"ssl.ca.location\" = {:?} }}\n{}",
        broker.sasl_ssl(),
        certificate("ca.pem"),
        server.credentials("main", "ES256"),
    ))
}

/// From one topic to another, both over a listener that wants tokens.
struct Scene {
    from: Topic,
    to: Topic,
    dead: Topic,
    settings: Settings,
}

impl Scene {
    async fn new(server: &AuthorizationServer) -> Self {
        let broker = brokers::kafka();
        let (from, to, dead) = (
            Topic::create(&broker, "tokens-from").await,
            Topic::create(&broker, "tokens-to").await,
            Topic::create(&broker, "tokens-dead").await,
        );
        let route = Route::between_topics(&from, &to, &dead);
        let settings = settings(&broker, server).route(route);
        Self {
            from,
            to,
            dead,
            settings,
        }
    }

    async fn write(&self, events: &[Numbered]) {
        let records = events.iter().map(|event| event.record(20));
        self.from.write(records).await;
    }

    async fn arrive(&self, count: usize) {
        let all = async || (self.to.len().await >= count).then_some(());
        eventually("all arrived", 2 * SOON, all).await;
    }

    async fn verdict(&self, title: &str, sent: &[Numbered]) -> Verdict {
        assert_eq!(self.dead.len().await, 0);
        Verdict::of(title, sent, &wire::ids(&self.to.read().await), &[])
    }
}

#[tokio::test]
async fn tokens_are_renewed_while_events_flow() {
    let mut server = AuthorizationServer::new(free_address(), LIFETIME);
    server.start().await;
    let scene = Scene::new(&server).await;
    let began = Instant::now();
    let bridge = Bridge::start(&scene.settings).await;
    let sent = numbered(400, 12);
    for events in sent.chunks(20) {
        scene.write(events).await;
        sleep(Duration::from_secs(1)).await;
    }
    scene.arrive(sent.len()).await;
    let verdict = scene.verdict("renewed tokens", &sent).await;
    verdict.keeps_the_promise();
    // One request for all clients of the process, and not many more than have to be.
    let granted = server.granted();
    let seconds = usize::try_from(began.elapsed().as_secs()).unwrap();
    assert!(
        (5..=seconds).contains(&granted),
        "{granted} tokens in {seconds} s"
    );
    let log = bridge.log();
    for secret in server.secrets() {
        assert!(!log.contains(&secret));
    }
    bridge.stop().await;
}

#[tokio::test]
async fn an_outage_of_the_authorization_server_is_waited_for() {
    let mut server = AuthorizationServer::new(free_address(), LIFETIME);
    server.start().await;
    let scene = Scene::new(&server).await;
    let bridge = Bridge::start(&scene.settings).await;
    let sent = numbered(300, 12);
    scene.write(&sent[..100]).await;
    scene.arrive(100).await;
    server.kill();
    bridge
        .says(&[
            "no token can be had",
            "token endpoint does not answer",
            "remedy",
        ])
        .await;
    eventually("the connection is down", SOON, async || {
        let down = bridge.metric("cenl_connection_up").await;
        down.filter(|up| *up == 0.0)
    })
    .await;
    scene.write(&sent[100..200]).await;
    // Longer than a session of the group.
    sleep(Duration::from_secs(10)).await;
    assert_eq!(scene.to.len().await, 100, "the broker takes no more");
    server.start().await;
    scene.write(&sent[200..]).await;
    scene.arrive(sent.len()).await;
    let verdict = scene.verdict("authorization server away", &sent).await;
    verdict.keeps_the_promise();
    bridge.stop().await;
}

#[tokio::test]
async fn a_bridge_that_starts_without_a_token_waits_for_it() {
    let mut server = AuthorizationServer::new(free_address(), LIFETIME);
    let scene = Scene::new(&server).await;
    let sent = numbered(50, 5);
    scene.write(&sent).await;
    let mut bridge = Bridge::spawn(&scene.settings);
    bridge.says(&["no token can be had", "remedy"]).await;
    server.start().await;
    bridge.ready().await;
    scene.arrive(sent.len()).await;
    scene.verdict("a late token", &sent).await.is_clean();
    bridge.stop().await;
}

#[tokio::test]
async fn a_token_signed_with_another_key_is_refused_and_told() {
    let mut server = AuthorizationServer::new(free_address(), 60);
    server.change_signing_key(KEY_ID);
    server.start().await;
    let scene = Scene::new(&server).await;
    scene.write(&numbered(10, 2)).await;
    let bridge = Bridge::spawn(&scene.settings);
    bridge
        .says(&["WARN", "Authentication", "invalid_token", "remedy"])
        .await;
    let said = run("check-config", &scene.settings, &["--check-connections"]).await;
    let said = said.ends_with(1);
    assert!(said.out.contains("invalid_token"), "{}", said.out);
    assert!(!bridge.is_ready().await);
    assert_eq!(scene.to.len().await + scene.dead.len().await, 0);
}

/// Each is a process of its own, and its token dies sooner than it does.
#[tokio::test]
async fn tools_show_a_token_too() {
    let mut server = AuthorizationServer::new(free_address(), LIFETIME);
    server.start().await;
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "tokens-tools").await;
    let dead = Topic::create(&broker, "tokens-tools-dead").await;
    let receiver = Receiver::start(always(Answer::Status(422)));
    let route = Route::to_webhook(&topic, &receiver, &dead).dead_letter("stop_after = 0");
    let settings = settings(&broker, &server).route(route);
    topic.knows_groups().await;
    let said = run("check-config", &settings, &["--check-connections"]).await;
    let said = said.ends_with(0);
    for answer in [
        "brokers: answer",
        "right to read",
        "group",
        "right to write: is given",
    ] {
        assert!(said.out.contains(answer), "{answer} in {}", said.out);
    }
    let sent = numbered(40, 4);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (dead.len().await == sent.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    let words = ["--route", "to-webhook", "--since", "earliest"];
    let said = run("tail", &settings, &words).await.ends_with(0);
    assert_eq!(said.lines().len(), sent.len());
    receiver.follow(always(Answer::Status(204)));
    let words = ["--route", "to-webhook", "--all"];
    let said = run("replay", &settings, &words).await.ends_with(0);
    assert_eq!(said.lines().len(), sent.len());
    Verdict::of("replayed", &sent, &receiver.accepted(), &[]).keeps_the_promise();
    server.kill();
    for (command, words) in [
        ("check-config", &["--check-connections"][..]),
        ("tail", &["--route", "to-webhook"]),
    ] {
        let said = run(command, &settings, words).await.ends_with(1);
        let told = said.out + &said.errors;
        assert!(told.contains("token endpoint does not answer"), "{told}");
    }
}

/// The limit of the topic is not known to this sink: the broker has the last word.
#[tokio::test]
async fn a_sender_is_answered_when_the_broker_has_taken_its_events() {
    let mut server = AuthorizationServer::new(free_address(), LIFETIME);
    server.start().await;
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "tokens-ingress").await;
    let ingress = free_address();
    let settings = settings(&broker, &server)
        .listen(ingress)
        .route(Route::to_topic("/events", &topic));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["INFO", "cannot ask for the limit"]).await;
    let client = Client::new(ingress);
    let headers = [("content-type", "application/cloudevents+json")];
    let sent = numbered(12, 3);
    for event in &sent {
        let reply = client.post("/events", &headers, event.json(20)).await;
        let reply = reply.unwrap();
        assert!(reply.status.is_success(), "{}", reply.text());
        sleep(Duration::from_millis(700)).await;
    }
    topic.limit_records(20_000).await;
    let large = numbered(13, 3).pop().unwrap().json(100_000);
    let reply = client.post("/events", &headers, large).await.unwrap();
    assert_eq!(reply.status, 413, "{}", reply.text());
    let ids = wire::ids(&topic.read().await);
    Verdict::of("ingress with tokens", &sent, &ids, &[]).is_clean();
    bridge.stop().await;
}
