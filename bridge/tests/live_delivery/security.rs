//! TLS, client certificates, passwords and tokens, on both sides of the bridge.

use std::fmt::Write as _;

use tempfile::NamedTempFile;

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker, certificate};
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::raw;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire;

#[tokio::test]
async fn scram_over_tls_carries_both_ways() {
    let broker = brokers::kafka();
    let password = broker.credentials().1.to_owned();
    let properties = sasl(&broker, "SCRAM-SHA-512", &password);
    both_ways(
        "SASL_SSL with SCRAM",
        &broker,
        &broker.sasl_ssl(),
        &properties,
    )
    .await;
}

#[tokio::test]
async fn plain_over_tls_carries_both_ways() {
    let broker = brokers::kafka();
    let password = broker.credentials().1.to_owned();
    let properties = sasl(&broker, "PLAIN", &password);
    both_ways(
        "SASL_SSL with PLAIN",
        &broker,
        &broker.sasl_ssl(),
        &properties,
    )
    .await;
}

#[tokio::test]
async fn a_client_certificate_carries_both_ways() {
    let broker = brokers::kafka();
    let mut properties = tls("SSL");
    for (property, file) in [
        ("ssl.certificate.location", "client.pem"),
        ("ssl.key.location", "client.key"),
    ] {
        writeln!(properties, "\"{property}\" = {:?}", certificate(file)).unwrap();
    }
    both_ways(
        "SSL with a client certificate",
        &broker,
        &broker.ssl(),
        &properties,
    )
    .await;
}

const TOPIC: u8 = 2;
const GROUP: u8 = 3;
const READ: u8 = 3;
const WRITE: u8 = 4;
const DESCRIBE: u8 = 8;

#[tokio::test]
async fn a_topic_that_may_no_longer_be_read_is_held_and_read_on() {
    permission(TOPIC, &[(DESCRIBE, true), (READ, false)], "").await;
}

#[tokio::test]
async fn a_topic_that_may_no_longer_be_seen_is_held_and_read_on() {
    permission(TOPIC, &[(READ, false)], "").await;
}

#[tokio::test]
async fn a_group_that_may_no_longer_be_joined_is_held_and_read_on() {
    permission(GROUP, &[(READ, false)], "").await;
}

#[tokio::test]
async fn a_group_of_the_consumer_protocol_is_held_and_read_on() {
    permission(GROUP, &[(READ, false)], "\"group.protocol\" = \"consumer\"").await;
}

/// Takes permission from a bridge that reads, and gives it back.
async fn permission(resource: u8, lines: &[(u8, bool)], property: &str) {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "permission").await;
    let dead = Topic::create(&broker, "dead").await;
    let (user, password) = broker.credentials();
    let properties = sasl(&broker, "PLAIN", password) + property + "\n";
    let receiver = Receiver::start(always(Answer::Status(204)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let tables = format!(
        "[kafka.main]\nbrokers = \"{}\"\n[kafka.main.properties]\n{properties}",
        broker.sasl_ssl()
    );
    let bridge = Bridge::start(&Settings::written(tables).route(route)).await;
    let sent = numbered(90, 9);
    let (mut rest, held) = (sent.chunks(30), "cenl_windows_held");
    let mut write = async || {
        let events = rest.next().unwrap();
        topic.write(events.iter().map(|e| e.record(20))).await;
        events
    };
    receiver.gets(write().await).await;
    for round in 1..=2 {
        for &(operation, is_allowed) in lines {
            let access = raw::Access {
                resource,
                name: &topic.name,
                user,
                operation,
                is_allowed,
            };
            raw::control(&broker.plaintext(), access);
        }
        eventually("the source is held", 2 * SOON, async || {
            bridge.metric(held).await.filter(|held| *held > 0.0)
        })
        .await;
        let written = write().await;
        until(&format!("it is told in round {round}"), SOON, || {
            bridge.log().matches("give its user READ").count() >= round
        })
        .await;
        raw::release(&broker.plaintext(), resource, &topic.name);
        receiver.gets(written).await;
        eventually("the source reads on", SOON, async || {
            bridge.metric(held).await.filter(|held| *held == 0.0)
        })
        .await;
    }
    if resource == TOPIC {
        ends_on_a_quiet_topic(&broker, &bridge, &topic).await;
    }
    let title = format!("permission {lines:?}{property}");
    Verdict::of(&title, &sent, &receiver.accepted(), &[]).keeps_the_promise();
    bridge.stop().await;
}

/// Takes READ away and gives it back, and nothing is written meanwhile.
async fn ends_on_a_quiet_topic(broker: &Broker, bridge: &Bridge, topic: &Topic) {
    for (operation, is_allowed) in [(DESCRIBE, true), (READ, false)] {
        let access = raw::Access {
            resource: TOPIC,
            name: &topic.name,
            user: broker.credentials().0,
            operation,
            is_allowed,
        };
        raw::control(&broker.plaintext(), access);
    }
    let held = async || bridge.metric("cenl_windows_held").await;
    let is_held = async || held().await.filter(|held| *held > 0.0);
    eventually("the source is held", 2 * SOON, is_held).await;
    raw::release(&broker.plaintext(), TOPIC, &topic.name);
    let is_over = async || held().await.filter(|held| *held == 0.0);
    eventually("the alarm ends", 2 * SOON, is_over).await;
}

#[tokio::test]
async fn a_limit_that_may_not_be_asked_for_is_told_once_and_stops_nothing() {
    let broker = brokers::kafka();
    let target = Topic::create(&broker, "limit").await;
    let (user, password) = broker.credentials();
    for operation in [WRITE, DESCRIBE] {
        let access = raw::Access {
            resource: TOPIC,
            name: &target.name,
            user,
            operation,
            is_allowed: true,
        };
        raw::control(&broker.plaintext(), access);
    }
    let ingress = free_address();
    let settings = Settings::over(&broker.sasl_ssl(), &sasl(&broker, "PLAIN", password))
        .listen(ingress)
        .route(Route::to_topic("/events", &target));
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["INFO", "may not ask for the limit"]).await;
    let event = &numbered(1, 1)[0];
    let headers = [("content-type", "application/cloudevents+json")];
    let client = Client::new(ingress);
    let reply = client.post("/events", &headers, event.json(20)).await;
    assert!(reply.unwrap().status.is_success());
    bridge.stop().await;
    raw::release(&broker.plaintext(), TOPIC, &target.name);
    assert_eq!(target.len().await, 1);
}

/// Kafka to a webhook, and HTTP to Kafka, over the given listener.
async fn both_ways(title: &str, broker: &Broker, listener: &str, properties: &str) {
    let (topic, target, dead) = (
        Topic::create(broker, "secure").await,
        Topic::create(broker, "target").await,
        Topic::create(broker, "dead").await,
    );
    let sent = numbered(60, 6);
    topic
        .write(sent.iter().map(|event| event.record(200)))
        .await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let ingress = free_address();
    let settings = Settings::over(listener, properties)
        .listen(ingress)
        .route(Route::to_webhook(&topic, &receiver, &dead))
        .route(Route::to_topic("/events", &target));
    let bridge = Bridge::start(&settings).await;
    receiver.gets(&sent).await;
    Verdict::of(title, &sent, &receiver.accepted(), &[]).is_clean();
    let client = Client::new(ingress);
    let headers = [("content-type", "application/cloudevents+json")];
    for event in &sent {
        let reply = client
            .post("/events", &headers, event.json(200))
            .await
            .unwrap();
        assert!(
            reply.status.is_success(),
            "{}: {}",
            reply.status,
            reply.text()
        );
    }
    bridge.stop().await;
    let written = target.read().await;
    let ids = wire::ids(&written);
    Verdict::of(title, &sent, &ids, &[]).is_clean();
}

#[tokio::test]
async fn a_wrong_password_is_said_clearly_and_is_no_crash() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "password").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(5, 1);
    topic.write(sent.iter().map(|event| event.record(10))).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let password = "not-the-password-2f6c";
    let settings = Settings::over(
        &broker.sasl_ssl(),
        &sasl(&broker, "SCRAM-SHA-512", password),
    )
    .route(Route::to_webhook(&topic, &receiver, &dead));
    let mut bridge = Bridge::spawn(&settings);
    bridge.says(&["uthentication"]).await;
    assert!(bridge.is_alive().await);
    assert!(!bridge.is_ready().await);
    assert!(
        !bridge.log().contains(password),
        "the log holds the password"
    );
    assert!(!bridge.metrics().await.contains(password));
    bridge.stop().await;
    assert_eq!(receiver.requests(), 0);
}

/// Long before the time of an event is over.
#[tokio::test]
async fn a_password_that_a_sink_is_refused_for_is_told_as_the_cause() {
    let broker = brokers::kafka();
    let (from, to, dead) = (
        Topic::create(&broker, "refused-from").await,
        Topic::create(&broker, "refused-to").await,
        Topic::create(&broker, "dead").await,
    );
    let password = NamedTempFile::new().unwrap();
    std::fs::write(password.path(), "not-the-password").unwrap();
    let (user, right) = broker.credentials();
    let other = format!(
        "[kafka.other]\nbrokers = \"{}\"\nsecrets = {{ \"sasl.password\" = {{ file = {:?} }} }}\n\
         [kafka.other.properties]\n{}\"sasl.mechanism\" = \"PLAIN\"\n\"sasl.username\" = \"{user}\"\n",
        broker.sasl_ssl(),
        password.path(),
        tls("SASL_SSL"),
    );
    let sink = format!(
        "kafka = \"other\"\ntopic = \"{}\"\nmessage_timeout = \"600s\"\n",
        to.name
    );
    let dead_letters = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let route = Route::from_topic(&from, &sink, &dead_letters);
    let settings = Settings::new(&broker).connection(&other).route(route);
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(20, 4);
    from.write(sent.iter().map(|event| event.record(20))).await;
    let words = ["refuses us", "not-authenticated", "correct the credentials"];
    bridge.says(&words).await;
    let corrected = NamedTempFile::new().unwrap();
    std::fs::write(corrected.path(), right).unwrap();
    corrected.persist(password.path()).unwrap();
    eventually("all of it is there", SOON, async || {
        (to.len().await == sent.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    let ids = wire::ids(&to.read().await);
    Verdict::of("a password corrected", &sent, &ids, &[]).is_clean();
}

#[tokio::test]
async fn https_with_a_private_root_and_a_token_delivers() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "https").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(200, 10);
    topic
        .write(sent.iter().map(|event| event.record(200)))
        .await;
    let receiver = Receiver::start_tls(always(Answer::Status(204)));
    let token = NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "a-secret-token\n").unwrap();
    let route = Route::to_webhook(&topic, &receiver, &dead)
        .sink(&format!("ca_file = {:?}", certificate("ca.pem")))
        .sink(&format!("token_file = {:?}", token.path()));
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    receiver.gets(&sent).await;
    assert!(!bridge.log().contains("a-secret-token"));
    bridge.stop().await;
    Verdict::of("HTTPS", &sent, &receiver.accepted(), &[]).is_clean();
    for exchange in receiver.exchanges() {
        assert_eq!(exchange.headers["authorization"], "Bearer a-secret-token");
    }
}

#[tokio::test]
async fn a_receiver_with_an_unknown_root_holds_the_route() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "root").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(20, 4);
    topic.write(sent.iter().map(|event| event.record(20))).await;
    let receiver = Receiver::start_tls(always(Answer::Status(204)));
    let route = Route::to_webhook(&topic, &receiver, &dead);
    let settings = Settings::new(&broker)
        .limits("shutdown_deadline = \"1s\"")
        .route(route.clone());
    let bridge = Bridge::start(&settings).await;
    bridge.says(&["to-webhook", "certificate"]).await;
    assert!(
        bridge.is_ready().await,
        "a receiver is no reason to restart the bridge"
    );
    bridge.stop().await;
    assert_eq!(receiver.requests(), 0);
    assert_eq!(dead.len().await, 0);
    assert_eq!(topic.lag(&topic.name).await, sent.len());
    // The operator names the root.
    let route = route.sink(&format!("ca_file = {:?}", certificate("ca.pem")));
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    receiver.gets(&sent).await;
    bridge.stop().await;
    Verdict::of(
        "an unknown root, then named",
        &sent,
        &receiver.accepted(),
        &[],
    )
    .is_clean();
}

fn tls(protocol: &str) -> String {
    let ca = certificate("ca.pem");
    format!("\"security.protocol\" = \"{protocol}\"\n\"ssl.ca.location\" = {ca:?}\n")
}

fn sasl(broker: &Broker, mechanism: &str, password: &str) -> String {
    let user = broker.credentials().0;
    let mut properties = tls("SASL_SSL");
    for (property, value) in [
        ("sasl.mechanism", mechanism),
        ("sasl.username", user),
        ("sasl.password", password),
    ] {
        writeln!(properties, "\"{property}\" = \"{value}\"").unwrap();
    }
    properties
}
