//! Every line of the log about a route or a connection names it, whoever wrote it: clients with threads and tasks
//! of their own among them.

use serde_json::{Map, Value};

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::Topic;
use crate::support::nats::{Server, Stream};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::wait::{SOON, eventually};

/// Lines of the process itself.
const OF_THE_PROCESS: [&str; 2] = [
    "cloudevents_nl_bridge::cli::run",
    "cloudevents_nl_bridge::runtime",
];

type Line = Map<String, Value>;

fn text<'l>(line: &'l Line, field: &str) -> &'l str {
    line.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Those with a message that begins so.
fn with<'l>(lines: &'l [Line], message: &'l str) -> impl Iterator<Item = &'l Line> {
    let is_it = move |line: &&Line| text(line, "message").starts_with(message);
    lines.iter().filter(is_it)
}

/// `[limits]` is a table of the settings.
fn is_debug_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        let list = text.strip_prefix('[');
        let is_list = list.is_some_and(|rest| !rest.starts_with(char::is_alphabetic));
        let begins = ["{", "\"", "Some(", "Ok(", "Err("];
        is_list || text == "None" || begins.iter().any(|it| text.starts_with(it))
    })
}

#[tokio::test]
async fn every_line_about_a_route_or_connection_names_it() {
    let (broker, mut server) = (brokers::private("named"), Server::start("").await);
    let topic = async |word| Topic::create(&broker, word).await;
    let (events, into, dead) = (
        topic("events").await,
        topic("into").await,
        topic("dead").await,
    );
    let stream = Stream::create(&server.address(), "named").await;
    let receiver = Receiver::start(always(Answer::Status(500)));
    let ingress = free_address();
    let place = format!(
        "nats = \"main\"\nsubject = \"{}\"\nstream = \"{}\"\n",
        stream.subject("all"),
        stream.name
    );
    let letters = format!("kafka = \"main\"\ntopic = \"{}\"\n", dead.name);
    let routes = [
        Route::to_webhook(&events, &receiver, &dead).named("out"),
        Route::from_topic(&events, &place, &letters)
            .group("stored")
            .named("stored"),
        Route::from_stream(&stream, &receiver, &dead).named("read"),
        Route::to_topic("/events", &into).named("in"),
    ];
    let mut settings = Settings::new(&broker)
        .nats(&server.address(), "")
        .listen(ingress)
        .connection("[log]\nformat = \"json\"\nlevel = \"debug\"\ndeliveries = true\n")
        .limits("shutdown_deadline = \"5s\"");
    for route in routes {
        settings = settings.route(route);
    }
    let mut bridge = Bridge::start(&settings).await;
    let sent = numbered(20, 4);
    events
        .write(sent.iter().map(|event| event.record(50)))
        .await;
    bridge.says(&["circuit open", "out"]).await;
    let client = Client::new(ingress);
    let post = async |path| {
        let headers = [("content-type", "application/cloudevents+json")];
        let reply = client.post(path, &headers, numbered(1, 1)[0].json(10));
        reply.await.map(|reply| reply.status.as_u16())
    };
    assert_eq!(post("/events").await, Some(202));
    assert_eq!(post("/nowhere").await, Some(404));
    broker.kill();
    server.kill();
    assert_eq!(post("/events").await, Some(503));
    bridge.says(&["nats connection lost"]).await;
    bridge
        .says(&["kafka client", "connection\":\"kafka.main"])
        .await;
    bridge.says(&["kafka client", "route\":\"out"]).await;
    broker.start();
    server.again().await;
    receiver.follow(first([]));
    eventually("all is delivered", 2 * SOON, async || {
        (events.lag(&events.name).await == 0 && events.lag("stored").await == 0).then_some(())
    })
    .await;
    bridge.terminate();
    bridge.exit_code(SOON).await;
    let log = bridge.log();
    let lines: Vec<Line> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for line in &lines {
        let names = ["route", "connection"].map(|name| text(line, name));
        let is_named = names.iter().any(|name| !name.is_empty());
        assert!(
            is_named || OF_THE_PROCESS.contains(&text(line, "target")),
            "{line:?}"
        );
        assert!(!line.values().any(is_debug_text), "{line:?}");
    }
    for (message, route) in [
        ("partitions assigned", "out"),
        ("partitions assigned", "stored"),
        ("the group begins", "out"),
        ("nats connected", "read"),
        ("nats connection lost", "stored"),
        ("destination is unavailable", "out"),
        ("kafka client", "stored"),
        ("ingress did not accept", "in"),
        ("attempt", "read"),
    ] {
        let mut found = with(&lines, message);
        assert!(
            found.any(|line| text(line, "route") == route),
            "{message} of {route}"
        );
    }
    let address = ingress.to_string();
    for (message, connection) in [
        ("ingress did not accept", &*address),
        ("kafka client", "kafka.main"),
    ] {
        let mut found = with(&lines, message);
        let is_its =
            |line: &Line| text(line, "connection") == connection && !line.contains_key("route");
        assert!(found.any(is_its), "{message} of {connection}");
    }
}
