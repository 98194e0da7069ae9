//! Settings in, plan or problems out, over a transport that opens nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fake;

use std::ffi::OsString;
use std::path::Path;

use super::Plan;
use crate::config::{Document, Problems};
use crate::route::retry::RetryPolicy;
use crate::transport::registry::{self, connection_names};
use fake::TRANSPORTS;

const SOUND: &str = r#"
[log_file.main]
directory = "here"
properties = { "sasl.password" = "hunter2", "linger.ms" = 5 }

[[route]]
name = "a"
[route.source]
log_file = "main"
topic = "in"
[route.sink]
log_file = "main"
topic = "out"
[route.dead_letter]
log_file = "main"
topic = "dead"
"#;

fn prove(text: &str, variables: &[(&str, &str)]) -> Result<Plan, Problems> {
    let variables = variables
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let names: Vec<_> = connection_names(TRANSPORTS).collect();
    let document = Document::parse(Path::new("bridge.toml"), text, variables, &names)?;
    Plan::prove(&document, TRANSPORTS)
}

fn problems(text: &str, variables: &[(&str, &str)]) -> String {
    let problems = prove(text, variables).unwrap_err().to_string();
    assert!(!problems.contains("hunter2"), "{problems}");
    problems
}

#[test]
fn a_sound_file_becomes_a_plan() {
    insta::assert_snapshot!(prove(SOUND, &[]).unwrap(), @r"
    admin              http://127.0.0.1:9464
    log                text, info
    limits             1048576 bytes per event, 4194304 bytes or 1000 events per batch, 256 attributes, depth 127
    buffered           268435456 bytes
    shutdown deadline  20s

    route a
      from         log_file here in
      to           log_file here out
      written as   binary
      record key   that of the source, else partitionkey
      order        key
      on error     dead letter to log_file here dead
      in flight    64, of a window of 1000 events or 8388608 bytes per partition
      retry        500ms to 60s, without limit
    ");
}

#[test]
fn every_problem_is_reported_at_once() {
    insta::assert_snapshot!(problems(
        r#"
[admin]
listen = "localhost"
[log]
formt = "json"
level = "inf"
[log_file.main]
properties = { "sasl.password" = ["hunter2"] }
[log_file.Second]
directory = "x"
flush = "soon"
[[route]]
name = "a"
ordr = "key"
[route.source]
log_file = "mian"
topic = "in"
[route.sink]
mode = "bnary"
topic = "out"
[[route]]
name = "a"
in_flight = 0
on_error = "discard"
filter = { all = [{ exact = { Type = "x" } }, { prefix = {}, suffix = {} }] }
[route.source]
log_file = "Second"
[route.sink]
log_file = "Second"
topic = "out"
key = "id"
batch_events = 3
[route.retry]
initial = "2m"
attempts_max = -1
[routes]
"#,
        &[
            ("CENL__ADMIN__LISTN", "127.0.0.1:1"),
            ("CENL__ROUTE__0__NAME", "b"),
            ("CENL__LIMITS__DEPTH", "deep")
        ],
    ));
}

#[test]
fn the_environment_reaches_connections_and_decides_by_the_type_of_the_setting() {
    let plan = prove(
        SOUND,
        &[
            ("CENL__LOG_FILE__MAIN__DIRECTORY", "0042"),
            ("CENL__LOG_FILE__MAIN__PROPERTIES__SASL_PASSWORD", "007"),
            ("CENL__LOG_FILE__OTHER_ONE__DIRECTORY", "true"),
            ("CENL__LIMITS__DEPTH", "12"),
            ("CENL__LIMITS__SHUTDOWN_DEADLINE", "3s"),
            ("CENL__ADMIN__LISTEN", "127.0.0.1:1"),
            ("OTHER", "x"),
        ],
    )
    .unwrap();
    let source = format!("{:?}", plan.routes[0].source);
    assert!(source.contains(r#"directory: "0042""#), "{source}");
    assert!(source.contains(r#""sasl.password": "007""#), "{source}");
    assert_eq!(plan.decoder.limits().depth, 12);
    assert_eq!(plan.shutdown_deadline.as_secs(), 3);
    assert_eq!(plan.admin.listen.port(), 1);
}

/// What stands in the code of the route and the codec, and what the settings say of it.
#[test]
fn defaults_are_those_of_the_parts_that_they_are_for() {
    let plan = prove(SOUND, &[]).unwrap();
    let limits = cloudevents_nl_codec::Limits::default();
    assert_eq!(
        format!("{:?}", plan.decoder.limits()),
        format!("{limits:?}")
    );
    assert_eq!(plan.routes[0].retry, RetryPolicy::default());
}

#[test]
fn health_and_metrics_leave_this_machine_only_on_request() {
    let listen = |address| ("CENL__ADMIN__LISTEN", address);
    for address in ["127.0.0.9:1", "[::1]:1"] {
        assert!(prove(SOUND, &[listen(address)]).is_ok(), "{address}");
    }
    for address in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1"] {
        let problems = problems(SOUND, &[listen(address)]);
        let expected = ["CENL__ADMIN__LISTEN", address, "outside_loopback = true"];
        assert!(
            expected.iter().all(|word| problems.contains(word)),
            "{problems}"
        );
        let asked_for = ("CENL__ADMIN__OUTSIDE_LOOPBACK", "true");
        assert!(
            prove(SOUND, &[listen(address), asked_for]).is_ok(),
            "{address}"
        );
    }
}

#[test]
fn a_variable_that_is_no_setting_is_a_problem() {
    for (variable, value, expected) in [
        ("CENL__LIMITS__DPTH", "3", "did you mean \"depth\"?"),
        ("CENL__LIMITS__DEPTH", "hunter2x", "expected a whole number"),
        ("CENL__LOGG__LEVEL", "info", "did you mean \"log\"?"),
        ("CENL__ROUTE__0__NAME", "x", "write routes in the file"),
        ("CENL__ADMIN__", "x", "empty step"),
        (
            "CENL__LOG_FILE__MAIN__DIRECTORY__X",
            "x",
            "expected a string",
        ),
    ] {
        let problems = prove(SOUND, &[(variable, value)]).unwrap_err().to_string();
        assert!(problems.contains(expected), "{problems}");
        assert!(
            problems.contains("environment variable CENL__"),
            "{problems}"
        );
        assert!(problems.contains("1 problem;"), "{problems}");
    }
}

#[test]
fn rules_between_settings_hold() {
    let route = |name: &str, source: &str, sink: &str, more: &str| {
        format!(
            "[[route]]\nname = \"{name}\"\n{more}\n[route.source]\nlog_file = \"main\"\ntopic = \"{source}\"\n\
             [route.sink]\nlog_file = \"main\"\ntopic = \"{sink}\"\n"
        )
    };
    let hold = "on_error = \"hold\"";
    let dead = |topic| format!("dead_letter = {{ log_file = \"main\", topic = \"{topic}\" }}");
    for (routes, expected) in [
        (route("a", "x", "y", ""), "what becomes of an event"),
        (route("a", "x", "x", hold), "events would go round"),
        (route("a", "x", "y", &dead("x")), "events would go round"),
        (
            route("a", "x", "y", &dead("y")),
            "is the same place as the sink",
        ),
        (
            route("a", "x", "y", &format!("{hold}\n{}", dead("z"))),
            "contradicts [route.dead_letter]",
        ),
        (
            route("a", "x", "y", "on_error = \"dead-letter\""),
            "add a table [route.dead_letter]",
        ),
        (
            route("a", "request", "y", hold),
            "has no meaning where a sender waits",
        ),
        (
            route("a", "x", "y", hold) + &route("a", "z", "y", hold),
            "route[0] has the same: a",
        ),
        (
            route("a", "x", "y", hold) + &route("b", "x", "z", hold),
            "route[0] has the same: log_file here x",
        ),
        (
            route("a", "x", "y", hold) + "mode = \"batched\"",
            "has no batched mode",
        ),
        (
            route("a", "x", "y", hold) + "batch_events = 3",
            "without mode",
        ),
        (
            route("a", "x", "y", hold) + "forward_headers = [\"ce_id\"]",
            "is not a foreign header",
        ),
        (route("a", "x", "y z", hold), "holds a space"),
        (
            route("a", "x", "dead-letters-only", hold),
            "keeps dead letters alone",
        ),
        (
            route("a", "x", "y", &dead("forgetful")),
            "cannot keep dead letters",
        ),
        (
            route(
                "a",
                "x",
                "y",
                &format!("{hold}\nfilter = {{ exact = {{}} }}"),
            ),
            "names no attribute",
        ),
    ] {
        let text = format!("[log_file.main]\ndirectory = \"here\"\n{routes}");
        let problems = problems(&text, &[]);
        assert!(problems.contains(expected), "{problems}");
        assert!(problems.contains("1 problem;"), "{problems}");
    }
}

/// The routes of a file, each from one topic to another, with what it says beside.
fn between(routes: &[(&str, &str, &str, &str)]) -> String {
    let route = |(name, from, to, more): &(&str, &str, &str, &str)| {
        format!(
            "[[route]]\nname = \"{name}\"\non_error = \"hold\"\n{more}\n[route.source]\n{from}\n\
             [route.sink]\n{to}\n"
        )
    };
    routes.iter().map(route).collect()
}

#[test]
fn a_ring_of_routes_is_refused_once_at_its_first_route() {
    let allowed = "allow_ring = true";
    for (routes, expected) in [
        ("a x y, b y x", &["round: a -> b -> a"][..]),
        ("c z x, a x y, b y z, d v x", &["round: c -> a -> b -> c"]),
        (
            "a x y, b y x, c v w, d w v",
            &["round: a -> b -> a", "round: c -> d -> c"],
        ),
        ("a x y +, b y x", &[]),
        ("a x y, b y x +", &[]),
        ("a x x +", &[]),
        ("a x y, b y z, c v x", &[]),
    ] {
        let topic = |name: &str| format!("log_file = \"main\"\ntopic = \"{name}\"");
        let mut text = "[log_file.main]\ndirectory = \"here\"\n".to_owned();
        for route in routes.split(", ") {
            let words: Vec<_> = route.split(' ').collect();
            let more = if words.len() > 3 { allowed } else { "" };
            text += &between(&[(words[0], &topic(words[1]), &topic(words[2]), more)]);
        }
        match prove(&text, &[]) {
            Ok(_) => assert!(expected.is_empty(), "{routes}"),
            Err(problems) => {
                let told = problems.to_string();
                assert!(
                    told.contains(&format!("{} problem", expected.len())),
                    "{told}"
                );
                assert!(expected.iter().all(|ring| told.contains(ring)), "{told}");
                assert!(told.contains(allowed), "{told}");
            }
        }
    }
}

#[test]
fn a_ring_is_seen_over_every_transport() {
    let kafka = |name: &str, topic: &str| format!("kafka = \"{name}\"\ntopic = \"{topic}\"");
    let group = |place: String| format!("{place}\ngroup = \"g\"");
    let stored = "nats = \"main\"\nsubject = \"zaken.new\"\nstream = \"ZAKEN\"";
    let consumed =
        |more: &str| format!("nats = \"other\"\nstream = \"ZAKEN\"\ndurable = \"d\"\n{more}");
    let handed = "nats = \"main\"\nsubject = \"zaken.new\"\ndelivery = \"at-most-once\"";
    let heard = |subject: &str| {
        format!("nats = \"main\"\nsubject = \"{subject}\"\ndelivery = \"at-most-once\"")
    };
    let posted = |url: &str| format!("url = \"{url}\"\nallow_plain_http = true");
    let path = "http = \"in\"\npath = \"/events\"".to_owned();
    let connections = "[kafka.main]\nbrokers = \"Kafka-1:9092, kafka-2:9092\"\n[kafka.other]\nbrokers = \"kafka-2:9092\"\n\
        [kafka.third]\nbrokers = \"kafka-3:9092\"\n[nats.main]\nservers = \"127.0.0.1\"\n[nats.other]\nservers = \"nats://localhost:4222\"\n\
        [http.in]\nlisten = \"127.0.0.1:8080\"\n";
    for (from, to, is_ring) in [
        (group(kafka("main", "t")), kafka("other", "t"), true),
        (group(kafka("main", "t")), kafka("other", "u"), false),
        (group(kafka("main", "t")), kafka("third", "t"), false),
        (consumed(""), stored.to_owned(), true),
        (consumed("subject = \"zaken.*\""), stored.to_owned(), true),
        (
            consumed("subject = \"zaken.*.x\""),
            stored.to_owned(),
            false,
        ),
        (heard("zaken.>"), handed.to_owned(), true),
        (heard("zaken.old"), handed.to_owned(), false),
        (
            path.clone(),
            posted("http://localhost:8080/events?x=1"),
            true,
        ),
        (path.clone(), posted("http://[::1]:8080/events"), true),
        (path.clone(), posted("http://127.0.0.1:8080/other"), false),
        (path.clone(), posted("http://127.0.0.1:8081/events"), false),
        (path, posted("http://elsewhere:8080/events"), false),
    ] {
        // There and back again: one way over what is looked at, the other over a topic.
        let middle = kafka("third", "middle");
        let has_sender = from.starts_with("http");
        let mut text = between(&[
            ("a", &from, &middle, ""),
            ("b", &group(middle.clone()), &to, ""),
        ]);
        if has_sender {
            text = text.replacen("on_error = \"hold\"\n", "", 1);
        }
        let document = Document::parse(
            Path::new("bridge.toml"),
            &(connections.to_owned() + &text),
            [],
            &["kafka", "nats", "http"],
        );
        match Plan::prove(&document.unwrap(), registry::TRANSPORTS) {
            Ok(_) => assert!(!is_ring, "{from} and {to}"),
            Err(problems) => {
                let told = problems.to_string();
                assert!(is_ring && told.contains("round: a -> b -> a"), "{told}");
                assert!(told.contains("1 problem;"), "{told}");
            }
        }
    }
}

#[test]
fn waits_that_end_before_an_exchange_may_are_told() {
    let warnings_of = |limits: &str, source: &str, sink: &str| {
        let text = format!(
            "[limits]\n{limits}\n[kafka.main]\nbrokers = \"k:9092\"\n{}",
            between(&[(
                "a",
                &format!("kafka = \"main\"\ntopic = \"t\"\ngroup = \"g\"\n{source}"),
                &format!("url = \"https://receiver.example/\"\n{sink}"),
                "",
            )])
        );
        let document = Document::parse(
            Path::new("bridge.toml"),
            &text,
            [],
            &["kafka", "nats", "http"],
        );
        let plan = Plan::prove(&document.unwrap(), registry::TRANSPORTS).unwrap();
        let shown = plan.to_string();
        let warnings = plan.routes[0].warnings.clone();
        assert!(
            warnings.iter().all(|warning| shown.contains(warning)),
            "{shown}"
        );
        warnings
    };
    assert_eq!(warnings_of("", "", ""), [""; 0], "of the defaults");
    let warnings = |drain: &str, timeout: &str, deadline: &str| {
        warnings_of(
            &format!("shutdown_deadline = \"{deadline}\""),
            &format!("drain = \"{drain}\""),
            &format!("exchange_timeout = \"{timeout}\""),
        )
    };
    assert_eq!(warnings("10s", "10s", "10s"), [""; 0]);
    let [drain] = &warnings("9s", "10s", "10s")[..] else {
        panic!("one warning")
    };
    assert!(
        drain.starts_with("drain = 9s is below exchange_timeout = 10s"),
        "{drain}"
    );
    let [deadline] = &warnings("10s", "10s", "9s")[..] else {
        panic!("one warning")
    };
    assert!(
        deadline.starts_with("[limits] shutdown_deadline = 9s is below"),
        "{deadline}"
    );
}
