//! Settings in, plan or problems out, over a transport that opens nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod between_routes;
mod fake;

use std::ffi::OsString;
use std::path::Path;

use super::Plan;
use crate::config::{Document, Problems};
use crate::route::retry::RetryPolicy;
use crate::transport::registry::connection_names;
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
    insta::assert_snapshot!(prove(SOUND, &[]).unwrap(), @r#"
    admin.listen = "127.0.0.1:9464"  # default
    admin.outside_loopback = false  # default

    limits.attributes = 256  # default
    limits.batch_bytes = 4194304  # default
    limits.batch_events = 1000  # default
    limits.buffered_bytes = 268435456  # default
    limits.depth = 127  # default
    limits.event_bytes = 1048576  # default
    limits.shutdown_deadline = "20s"  # default

    log.deliveries = false  # default
    log.format = "text"  # default
    log.level = "info"  # default

    log_file.main.directory = "here"
    log_file.main.flush = "1s"  # default
    log_file.main.properties."linger.ms" = 5
    log_file.main.properties."sasl.password" = ***

    route[0].allow_ring = false  # default
    route[0].dead_letter.error_body = false  # default
    route[0].dead_letter.log_file = "main"
    route[0].dead_letter.stop_after = 100  # default
    route[0].dead_letter.topic = "dead"
    route[0].name = "a"
    route[0].order = "key"  # default
    route[0].retry.initial = "500ms"  # default
    route[0].retry.maximum = "60s"  # default
    route[0].retry.refused_alone_max = 8  # default
    route[0].retry.retry_after_max = "24h"  # default
    route[0].sink.batch_bytes = 1048576  # default
    route[0].sink.batch_events = 100  # default
    route[0].sink.key = "source"  # default
    route[0].sink.log_file = "main"
    route[0].sink.topic = "out"
    route[0].source.log_file = "main"
    route[0].source.topic = "in"
    route[0].window_bytes = 8388608  # default
    route[0].window_events = 1000  # default
    "#);
}

#[test]
fn a_route_without_a_place_for_dead_letters_is_held_as_one_with_a_place() {
    let (before, _) = SOUND.split_once("[route.dead_letter]").unwrap();
    let discards = before.replace("[route.source]", "on_error = \"discard\"\n[route.source]");
    let [with, without] = [SOUND, &*discards].map(|text| {
        let plan = prove(text, &[]).unwrap();
        plan.routes[0].config.stop_after
    });
    assert_eq!(with, without);
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
    assert_eq!(plan.routes[0].config.decoder.limits().depth, 12);
    assert_eq!(plan.shutdown_deadline.as_secs(), 3);
    assert_eq!(plan.admin.listen.port(), 1);
}

/// What stands in the code of the route and the codec, and what the settings say of it.
#[test]
fn defaults_are_those_of_the_parts_that_they_are_for() {
    let plan = prove(SOUND, &[]).unwrap();
    let limits = cloudevents_nl_codec::Limits::default();
    let config = &plan.routes[0].config;
    assert_eq!(*config.decoder.limits(), limits);
    assert_eq!(config.retry, RetryPolicy::default());
}

#[test]
fn the_admin_port_is_reached_from_other_machines_only_on_request() {
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

#[test]
fn a_route_has_a_name_that_fits_a_line() {
    let named = |name: &str| SOUND.replace("name = \"a\"", &format!("name = \"{name}\""));
    for name in ["zaken naar buiten", &"é".repeat(100)] {
        assert!(prove(&named(name), &[]).is_ok(), "{name}");
    }
    for name in ["", r"a\nb", r"a\tb", &"é".repeat(101)] {
        let problems = problems(&named(name), &[]);
        for words in ["route[0].name", "is not the name", "1 problem;"] {
            assert!(problems.contains(words), "{words} in {problems}");
        }
    }
}

#[test]
fn hosts_of_the_admin_port_are_bare_names() {
    let hosts = |hosts: &str| prove(SOUND, &[("CENL__ADMIN__HOSTS", hosts)]);
    assert!(hosts("bridge.example, bridge").is_ok());
    for host in ["bridge.example:9464", "http://bridge.example", "bridge/a"] {
        let problems = hosts(host).unwrap_err().to_string();
        assert!(problems.contains("write bare host names"), "{problems}");
    }
}
