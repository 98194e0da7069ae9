//! `check-config --check-connections` against real brokers and receivers: all that is asked is told, and
//! nothing is left behind.

use std::fmt::Write as _;

use async_nats::jetstream;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType};

use crate::support::brokers::{self, Broker, certificate};
use crate::support::command::{Said, run};
use crate::support::kafka::Topic;
use crate::support::nats::Server;
use crate::support::raw::{self, Access};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::streams::{Stream, connection};

const TOPIC: u8 = 2;
const WRITE: u8 = 4;
const DESCRIBE: u8 = 8;

async fn check(settings: &Settings) -> Said {
    run("check-config", settings, &["--check-connections"]).await
}

/// A topic, at a broker that can be asked about its group too.
async fn asked(broker: &Broker) -> Topic {
    let topic = Topic::create(broker, "asked").await;
    topic.knows_groups().await;
    topic
}

/// Has the lines, each with all of its words.
fn tells(said: &Said, expected: &[&[&str]]) {
    for words in expected {
        let mut lines = said.out.lines();
        let found = lines.any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "{words:?} in {}", said.out);
    }
}

#[tokio::test]
async fn what_is_sound_is_told_and_nothing_is_left_behind() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let topic = asked(&broker).await;
    let dead = Topic::create(&broker, "asked-dead").await;
    let stream = Stream::create(&server, "asked").await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let to_stream = format!(
        "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
        stream.subject, stream.name
    );
    let from_stream = format!(
        "[[route]]\nname = \"third\"\non_error = \"hold\"\n[route.source]\nnats = \"main\"\n\
         stream = \"{}\"\ndurable = \"asked\"\n[route.sink]\nurl = \"{}\"\n",
        stream.name,
        receiver.url()
    );
    // Each route reads with a group of its own.
    let mut second = Route::from_topic(&dead, &to_stream, "").named("second");
    second = second.own("on_error = \"hold\"\nallow_ring = true");
    let settings = Settings::new(&broker)
        .connection(&connection(&server))
        .connection(&from_stream)
        .route(Route::to_webhook(&topic, &receiver, &dead).named("first"))
        .route(second);
    let said = check(&settings).await.ends_with(0);
    let groups = topic.groups().await;
    assert!(!groups.contains(&topic.name), "{groups:?}");
    tells(
        &said,
        &[
            &[
                "ok",
                "route first, source",
                &topic.name,
                "topic: ",
                "partitions",
            ],
            &["ok", "route first, source", "right to read"],
            &["ok", "route first, source", "group"],
            &[
                "ok",
                "route first, dead_letter",
                &dead.name,
                "right to write: is given",
            ],
            &["ok", "route first, sink", "connection: TCP"],
            &["ok", "route first, sink", "OPTIONS"],
            &[
                "ok",
                "route second, sink",
                &stream.subject,
                "stream: keeps what is written",
            ],
            &["ok", "route third, source", "consumer: will be made"],
        ],
    );
    assert!(!said.out.contains("FAILED"), "{}", said.out);
    assert_eq!(topic.len().await + dead.len().await, 0);
    assert!(
        receiver
            .exchanges()
            .iter()
            .all(|asked| asked.body.is_empty())
    );
    assert_eq!(stream.len().await, 0);
    let context = jetstream::new(stream.client.clone());
    let info = context.get_stream(&stream.name).await.unwrap();
    assert_eq!(info.cached_info().state.consumer_count, 0);
}

#[tokio::test]
async fn every_failure_has_its_cause_and_remedy() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let topic = asked(&broker).await;
    let stream = Stream::named(&server, "in-memory").await;
    let config = Config {
        storage: StorageType::Memory,
        ..Config::default()
    };
    stream.make(config).await;
    let durable = pull::Config {
        durable_name: Some("all".to_owned()),
        ack_policy: AckPolicy::All,
        ..pull::Config::default()
    };
    let context = jetstream::new(stream.client.clone());
    let made = context.create_consumer_on_stream(durable, &stream.name);
    made.await.unwrap();
    let receiver = Receiver::start_tls(always(Answer::Status(204)));
    let nobody = free_address();
    let mut routes = String::new();
    let mut route = |name: &str, source: &str, sink: &str| {
        writeln!(
            routes,
            "[[route]]\nname = \"{name}\"\non_error = \"hold\"\n[route.source]\n{source}\n[route.sink]\n{sink}"
        )
        .unwrap();
    };
    let read = |group: &str| {
        format!(
            "kafka = \"main\"\ntopic = \"{}\"\ngroup = \"{group}\"",
            topic.name
        )
    };
    let into = |stream: &str, subject: &str| {
        format!("nats = \"main\"\nsubject = \"{subject}\"\nstream = \"{stream}\"")
    };
    route(
        "topics",
        "kafka = \"main\"\ntopic = \"no-such-topic\"\ngroup = \"a\"",
        "kafka = \"main\"\ntopic = \"no-such-sink\"",
    );
    route(
        "refused",
        &read("b"),
        &format!("url = \"http://{nobody}/\""),
    );
    route(
        "mistrusted",
        &read("c"),
        &format!("url = \"{}\"", receiver.url()),
    );
    route("memory", &read("d"), &into(&stream.name, &stream.subject));
    route("missing", &read("e"), &into("NO_SUCH", "no.such"));
    route(
        "gone",
        "nats = \"main\"\nstream = \"NO_SUCH\"\ndurable = \"d\"",
        "kafka = \"away\"\ntopic = \"t\"",
    );
    route(
        "unfit",
        &format!(
            "nats = \"main\"\nstream = \"{}\"\ndurable = \"all\"",
            stream.name
        ),
        &format!("url = \"{}\"", receiver.url()),
    );
    let away = format!(
        "[kafka.away]\nbrokers = \"{nobody}\"\n{}",
        connection(&server)
    );
    let settings = Settings::new(&broker).connection(&(away + &routes));
    let said = check(&settings).await.ends_with(1);
    tells(
        &said,
        &[
            &["FAILED", "route topics, source", "topic: "],
            &["FAILED", "route topics, sink", "topic: "],
            &["FAILED", "route refused, sink", "connection: ", "refused"],
            &[
                "FAILED",
                "route mistrusted, sink",
                "connection: ",
                "certificate",
            ],
            &[
                "FAILED",
                "route memory, sink",
                "stream: it has memory storage",
            ],
            &[
                "FAILED",
                "route missing, sink",
                "stream: there is no such stream",
            ],
            &[
                "FAILED",
                "route gone, source",
                "consumer: there is no such stream",
            ],
            &["FAILED", "route gone, sink", "brokers: ", "refused"],
            &[
                "FAILED",
                "route unfit, source",
                "consumer: ack_policy is all, needed is explicit",
            ],
            &["ok", "route refused, source", "right to read"],
        ],
    );
    let failures = said.out.matches("FAILED").count();
    assert_eq!(said.out.matches("remedy: ").count(), failures);
    let described = check(&settings).await;
    assert_eq!(
        described.out.matches("FAILED").count(),
        failures,
        "asking makes no topic"
    );
}

#[tokio::test]
async fn what_a_stream_does_not_keep_is_told_and_which_one_keeps_a_core_subject() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let topic = asked(&broker).await;
    let bounded = Stream::named(&server, "bounded").await;
    let config = Config {
        max_messages: 3,
        ..Config::default()
    };
    bounded.make(config).await;
    let interest = Stream::named(&server, "interest").await;
    let config = Config {
        retention: RetentionPolicy::Interest,
        ..Config::default()
    };
    interest.make(config).await;
    let stored = |stream: &Stream| {
        let Stream { name, subject, .. } = stream;
        format!("nats = \"main\"\nsubject = \"{subject}\"\nstream = \"{name}\"\n")
    };
    let subject = &bounded.subject;
    let handed = format!("nats = \"main\"\nsubject = \"{subject}\"\ndelivery = \"at-most-once\"\n");
    let route = |name: &str, sink: &str, dead: &Stream| {
        let route = Route::from_topic(&topic, sink, &stored(dead)).named(name);
        route.group(&format!("{}-{name}", topic.name))
    };
    let settings = Settings::new(&broker)
        .connection(&connection(&server))
        .route(route("kept", &stored(&interest), &bounded))
        .route(route("handed", &handed, &interest));
    let said = check(&settings).await.ends_with(1);
    let keeps = "stream: keeps what is written, but not";
    let listens = format!("stream: {} keeps it too", bounded.name);
    tells(
        &said,
        &[
            &["ok", "route kept, sink", keeps, "what no consumer asks for"],
            &["ok", "route kept, dead_letter", keeps, "more than max_msgs"],
            &["ok", "route handed, sink", &listens],
            &[
                "FAILED",
                "route handed, dead_letter",
                "stream: its retention is interest",
            ],
        ],
    );
    assert_eq!(said.out.matches("FAILED").count(), 1, "{}", said.out);
}

#[tokio::test]
async fn a_status_tells_what_a_receiver_thinks_of_us() {
    let broker = brokers::kafka();
    let topic = asked(&broker).await;
    for (status, is_sound) in [
        (200, true),
        (405, true),
        (501, true),
        (401, false),
        (404, false),
        (302, false),
        (500, false),
    ] {
        let receiver = Receiver::start(always(Answer::Status(status)));
        let route = Route::to_webhook(&topic, &receiver, &topic).without_dead_letter();
        let settings = Settings::new(&broker).route(route.own("on_error = \"hold\""));
        let said = check(&settings)
            .await
            .ends_with(if is_sound { 0 } else { 1 });
        tells(
            &said,
            &[&["sink", "OPTIONS: answered", &status.to_string()]],
        );
        assert!(
            receiver
                .exchanges()
                .iter()
                .all(|asked| asked.body.is_empty())
        );
    }
}

/// DENY of WRITE is seen without writing.
#[tokio::test]
async fn a_user_who_may_not_write_is_told_so() {
    let broker = brokers::kafka();
    let (topic, sink) = (
        asked(&broker).await,
        Topic::create(&broker, "asked-sink").await,
    );
    let (user, password) = broker.credentials();
    let password = password.to_owned();
    for (operation, is_allowed) in [(DESCRIBE, true), (WRITE, false)] {
        let access = Access {
            resource: TOPIC,
            name: &sink.name,
            user,
            operation,
            is_allowed,
        };
        raw::control(&broker.plaintext(), access);
    }
    let properties = sasl(&broker, &password);
    let route = Route::between_topics(&topic, &sink, &topic).own("allow_ring = true");
    let settings = Settings::over(&broker.sasl_ssl(), &properties).route(route);
    let denied = check(&settings).await;
    raw::release(&broker.plaintext(), TOPIC, &sink.name);
    let said = denied.ends_with(1);
    tells(
        &said,
        &[
            &["FAILED", "sink", "right to write"],
            &["ok", "source", "right to read"],
        ],
    );
    check(&settings).await.ends_with(0);
    assert_eq!(sink.len().await, 0);
}

fn sasl(broker: &Broker, password: &str) -> String {
    let (user, _) = broker.credentials();
    format!(
        "\"security.protocol\" = \"sasl_ssl\"\n\"sasl.mechanism\" = \"SCRAM-SHA-512\"\n\
         \"ssl.ca.location\" = {:?}\n\"sasl.username\" = \"{user}\"\n\"sasl.password\" = \"{password}\"\n",
        certificate("ca.pem")
    )
}

#[tokio::test]
async fn wrong_credentials_are_told_and_not_shown() {
    let broker = brokers::kafka();
    let topic = asked(&broker).await;
    let properties = sasl(&broker, "hunter2");
    let server = Server::start("authorization { token: right }").await;
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "hunter2").unwrap();
    let sink = "nats = \"main\"\nsubject = \"a\"\nstream = \"A\"\n";
    let settings = Settings::over(&broker.sasl_ssl(), &properties)
        .nats(
            &server.address(),
            &format!("secrets = {{ token = {{ file = {token:?} }} }}"),
        )
        .route(Route::from_topic(&topic, sink, "").own("on_error = \"hold\""));
    let said = check(&settings).await.ends_with(1);
    tells(
        &said,
        &[
            &["FAILED", "source", "brokers: ", "uthentication"],
            &["FAILED", "sink", "server: ", "uthorization"],
        ],
    );
    assert!(!said.out.contains("hunter2"), "{}", said.out);
}
