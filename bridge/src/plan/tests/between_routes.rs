//! Rings of routes, and waits that go badly together.

use std::path::Path;

use super::prove;
use crate::config::Document;
use crate::plan::Plan;
use crate::transport::registry;

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
fn waits_that_end_before_an_exchange_may_and_processes_in_vain_are_told() {
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
        let warnings = plan.warnings.into_iter().map(|warning| warning.what);
        let warnings: Vec<_> = warnings.collect();
        assert!(
            warnings.iter().all(|warning| shown.contains(warning)),
            "{shown}"
        );
        warnings
    };
    assert_eq!(warnings_of("", "", ""), [""; 0], "of the defaults");
    let [processes] = &warnings_of("", "", "processes = 2")[..] else {
        panic!("one warning")
    };
    assert!(processes.starts_with("means nothing here"), "{processes}");
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
    assert!(drain.starts_with("drain is shorter than this"), "{drain}");
    let [deadline] = &warnings("10s", "10s", "9s")[..] else {
        panic!("one warning")
    };
    let expected = "[limits] shutdown_deadline is shorter";
    assert!(deadline.starts_with(expected), "{deadline}");
}
