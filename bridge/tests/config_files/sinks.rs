//! What sinks refuse before anything is written.

use cloudevents_nl_bridge::outcome::Next;

use super::*;

#[test]
fn headers_that_the_event_or_the_sink_writes_are_not_forwarded() {
    let forwarding = |after: &str, name: &str| {
        let forward = format!("{after}\nforward_headers = [\"traceparent\", \"{name}\"]\n");
        assert_eq!(SOUND.matches(after).count(), 1, "{after}");
        prove(&SOUND.replace(after, &forward), &[])
    };
    let webhook = "url = \"https://receiver.example/hook\"";
    let topic = "topic = \"zaken\"\n\n";
    for name in ["x-request-id", "cenl", "accept"] {
        forwarding(webhook, name).unwrap();
        forwarding(topic, name).unwrap();
    }
    for name in ["ce-id", "CE_id", "Content-Type", "content-length", "a b"] {
        assert!(forwarding(webhook, name).is_err(), "{name}");
        assert!(forwarding(topic, name).is_err(), "{name}");
    }
    for name in [
        "Authorization",
        "host",
        "transfer-encoding",
        "connection",
        "User-Agent",
    ] {
        let problems = forwarding(webhook, name).unwrap_err().to_string();
        assert!(problems.contains("the sink writes it"), "{problems}");
        assert!(problems.contains("remove that name"), "{problems}");
        assert!(forwarding(topic, name).is_ok(), "{name}");
    }
}

#[test]
fn a_route_says_what_a_status_of_its_webhook_means() {
    let with = |line: &str| format!("{SOUND}\n[route.outcomes]\n{line}\n");
    let plan = prove(&with("404 = \"dead-letter\"\n409 = \"delivered\""), &[]).unwrap();
    let outcomes: Vec<_> = plan.routes[1].config.outcomes.iter().collect();
    assert_eq!(
        outcomes,
        [(&404, &Next::DeadLetter), (&409, &Next::Delivered)]
    );
    for (line, key, what) in [
        ("200 = \"retry\"", "200", "no status from 300 to 599"),
        ("gone = \"retry\"", "gone", "no status from 300 to 599"),
        ("404 = \"ignore\"", "404", "expected one of"),
    ] {
        let problem = problem(&with(line), &[]);
        assert_eq!(problem.key, format!("route[1].outcomes.{key}"));
        assert!(problem.what.contains(what), "{problem}");
    }
    let elsewhere = TO_STREAM.replace(
        "[route.dead_letter]",
        "[route.outcomes]\n[route.dead_letter]",
    );
    let problem = problem(&elsewhere, &[]);
    assert!(problem.what.contains("only webhooks"), "{problem}");
}

/// A sound route to a stream; a test puts one thing wrong.
const TO_STREAM: &str = r#"
[kafka.main]
brokers = "127.0.0.1:1"
[nats.main]
servers = "127.0.0.1:2"
[[route]]
name = "to-stream"
[route.source]
kafka = "main"
topic = "zaken"
group = "g"
[route.sink]
nats = "main"
subject = "zaken.new"
stream = "ZAKEN"
[route.dead_letter]
nats = "main"
subject = "zaken.dead"
stream = "DEAD"
"#;

#[test]
fn a_core_subject_is_named_so_and_keeps_no_dead_letters() {
    prove(TO_STREAM, &[]).unwrap();
    let at_most_once = "delivery = \"at-most-once\"";
    prove(&TO_STREAM.replace("stream = \"ZAKEN\"", at_most_once), &[]).unwrap();
    for (from, to, key, what) in [
        (
            "stream = \"ZAKEN\"",
            "",
            "route[0].sink.stream",
            "stores nothing",
        ),
        (
            "stream = \"ZAKEN\"",
            "stream = \"ZAKEN\"\ndelivery = \"at-most-once\"",
            "route[0].sink.delivery",
            "contradicts",
        ),
        (
            "stream = \"ZAKEN\"",
            "stream = \"ZAKEN\"\nforward_headers = [\"Nats-TTL\"]",
            "route[0].sink.forward_headers",
            "the sink writes it",
        ),
        (
            "stream = \"ZAKEN\"",
            "stream = \"ZAKEN\"\nkey = \"subject\"",
            "route[0].sink.key",
            "only Kafka records",
        ),
        (
            "zaken.new",
            "zaken.*",
            "route[0].sink.subject",
            "is not a subject",
        ),
        (
            "stream = \"DEAD\"",
            at_most_once,
            "route[0].dead_letter.nats",
            "cannot keep dead letters",
        ),
        (
            "nats = \"main\"\nsubject = \"zaken.new\"\nstream = \"ZAKEN\"",
            "file = \"dead.jsonl\"",
            "route[0].sink.file",
            "keeps dead letters alone",
        ),
    ] {
        let problem = problem(&TO_STREAM.replace(from, to), &[]);
        assert_eq!(problem.key, key, "{problem}");
        assert!(problem.what.contains(what), "{problem}");
    }
}
