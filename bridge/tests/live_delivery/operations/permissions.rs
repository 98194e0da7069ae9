//! The bridge with exactly the permissions that `docs/operations.md` lists.

use std::fmt::Write as _;

use async_nats::{ConnectOptions, jetstream};

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, certificate, root};
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::nats::Server;
use crate::support::raw;
use crate::support::settings::{Route, Settings, free_address};
use crate::support::streams::Stream;
use crate::support::wait::{SOON, eventually};

use super::STRUCTURED;

/// The first two cells of each row of the table with this head.
fn table(head: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("docs/operations.md")).unwrap();
    let (_, rows) = text.split_once(&format!("| {head} |")).unwrap();
    let rows = rows.lines().skip(2).take_while(|line| !line.is_empty());
    let cells = rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.next().unwrap())
    });
    cells.collect()
}

const TOPIC: u8 = 2;
const GROUP: u8 = 3;
const CLUSTER: u8 = 4;

/// Nobody else uses this broker, so that what is not listed can be forbidden.
#[tokio::test]
async fn kafka_needs_what_the_documentation_lists_and_no_more() {
    let broker = brokers::private("permissions");
    let (source, sink, dead) = (
        Topic::create(&broker, "source").await,
        Topic::create(&broker, "sink").await,
        Topic::create(&broker, "dead").await,
    );
    let view = "cenl-view".to_owned();
    let (user, password) = broker.credentials();
    let control = |resource, name: &str, user: &str, operation| {
        let access = raw::Access {
            resource,
            name,
            user,
            operation,
            is_allowed: true,
        };
        raw::control(&broker.plaintext(), access);
    };
    // Where somebody else is named, nobody else may do anything.
    for (resource, name) in [(TOPIC, "*"), (GROUP, "*"), (CLUSTER, "kafka-cluster")] {
        control(resource, name, "somebody-else", 2);
    }
    for (resource, operation) in table("resource | operations | what for") {
        let (kind, name) = match resource.as_str() {
            "topic of the source" => (TOPIC, &source.name),
            "group of the source" => (GROUP, &source.name),
            "group `cenl-view`" => (GROUP, &view),
            "topic of the sink" => (TOPIC, &sink.name),
            "topic of dead letters" => (TOPIC, &dead.name),
            other => panic!("{other} is new"),
        };
        let operation = match operation.as_str() {
            "Read" => 3,
            "Write" => 4,
            "Describe" => 8,
            "DescribeConfigs" => 10,
            other => panic!("{other} is new"),
        };
        control(kind, name, user, operation);
    }
    let ca = certificate("ca.pem");
    let properties = format!(
        "\"security.protocol\" = \"SASL_SSL\"\n\"ssl.ca.location\" = {ca:?}\n\"sasl.mechanism\" = \"PLAIN\"\n\
         \"sasl.username\" = \"{user}\"\n\"sasl.password\" = \"{password}\"\n"
    );
    let ingress = free_address();
    let settings = Settings::over(&broker.sasl_ssl(), &properties)
        .listen(ingress)
        .route(Route::between_topics(&source, &sink, &dead))
        .route(Route::to_topic("/events", &sink));
    let bridge = Bridge::start(&settings).await;
    let sent = numbered(40, 4);
    let broken = crate::support::kafka::Record::new(None, Some(b"no event"));
    source
        .write(sent.iter().map(|event| event.record(20)))
        .await;
    source.write([broken]).await;
    let client = Client::new(ingress);
    let reply = client.post("/events", &STRUCTURED, sent[0].json(20)).await;
    assert!(reply.unwrap().status.is_success());
    eventually("all of it is there", SOON, async || {
        let found = (
            sink.len().await,
            dead.len().await,
            source.lag(&source.name).await,
        );
        (found == (41, 1, 0)).then_some(())
    })
    .await;
    is_at_the_end_without_a_fault(&bridge, &["may not", "uthorization", "ERROR"]).await;
    bridge.stop().await;
}

/// It knows how far behind it is, and none of these words is in its log.
async fn is_at_the_end_without_a_fault(bridge: &Bridge, words: &[&str]) {
    eventually("how far it is behind is known", SOON, async || {
        let lag = bridge.metric("cenl_source_lag_messages").await;
        lag.filter(|lag| *lag == 0.0)
    })
    .await;
    let log = bridge.log();
    for word in words {
        assert!(!log.contains(word), "{word} in {log}");
    }
}

/// As it stands in the table, for these names.
fn nats_permissions([source, sink, dead]: &[String; 3]) -> String {
    let mut lists = [("publish", String::new()), ("subscribe", String::new())];
    for (may, subject) in table("may | subject | what for") {
        let subject = subject.trim_matches('`');
        let subject = match subject {
            "SUBJECT" => subject_of(sink),
            "DEAD" => subject_of(dead),
            _ => subject
                .replace("DEADSTREAM", dead)
                .replace("TARGET", sink)
                .replace(".STREAM.DURABLE", &format!(".{source}.bridge"))
                .replace("INFO.STREAM", &format!("INFO.{source}"))
                .replace("GET.STREAM", &format!("GET.{source}")),
        };
        let list = lists.iter_mut().find(|(name, _)| *name == may);
        write!(list.unwrap().1, "\"{subject}\", ").unwrap();
    }
    let lists = lists.map(|(name, subjects)| format!("{name}: [{subjects}]"));
    format!("{{ {} }}", lists.join(", "))
}

fn subject_of(stream: &str) -> String {
    stream.replace('-', ".")
}

fn server_settings(permissions: &str) -> String {
    format!(
        "authorization {{ users: [ {{ user: admin, password: a }}, \
         {{ user: bridge, password: b, permissions: {permissions} }} ] }}"
    )
}

async fn nats_needs_what_is_listed(order: &str, subjects: &str) {
    let names = ["source", "sink", "dead"].map(crate::support::nats::unique);
    let server = Server::start(&server_settings(&nats_permissions(&names))).await;
    let own = ConnectOptions::with_user_and_password("admin".into(), "a".into());
    let client = own.connect(server.address()).await.unwrap();
    let mut streams = Vec::new();
    for name in names {
        let stream = Stream {
            subject: subject_of(&name),
            name,
            client: client.clone(),
        };
        stream.make(jetstream::stream::Config::default()).await;
        streams.push(stream);
    }
    let [source, sink, dead] = &streams[..] else {
        unreachable!("three were made")
    };
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "b").unwrap();
    let subjects = subjects.replace("SUBJECT", &source.subject);
    let tables = format!(
        "[nats.main]\nservers = \"{}\"\nuser = \"bridge\"\nsecrets = {{ password = {{ file = {password:?} }} }}\n\
         [[route]]\nname = \"between\"\norder = \"{order}\"\n\
         [route.source]\nnats = \"main\"\nstream = \"{}\"\ndurable = \"bridge\"\nstart = \"earliest\"\n{subjects}\n\
         [route.sink]\nnats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n\
         [route.dead_letter]\nnats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
        server.address(),
        source.name,
        sink.subject,
        sink.name,
        dead.subject,
        dead.name
    );
    let bridge = Bridge::spawn(&Settings::written(tables));
    for event in numbered(20, 4) {
        let headers = [(
            "content-type".to_owned(),
            "application/cloudevents+json".to_owned(),
        )];
        source.write(&headers, event.json(20).into_bytes()).await;
    }
    source.write(&[], b"no event".to_vec()).await;
    eventually("all of it is there", SOON, async || {
        let found = (sink.len().await, dead.len().await);
        (found == (20, 1)).then_some(())
    })
    .await;
    is_at_the_end_without_a_fault(&bridge, &["ermission", "ERROR", "not asked", "refuses"]).await;
    bridge.stop().await;
}

#[tokio::test]
async fn nats_needs_what_the_documentation_lists_with_an_order() {
    nats_needs_what_is_listed("key", "").await;
}

#[tokio::test]
async fn nats_needs_what_the_documentation_lists_without_an_order() {
    nats_needs_what_is_listed("none", "subject = \"SUBJECT\"").await;
}
