//! Settings in, plan or problems out, over a transport that opens nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fake;

use std::ffi::OsString;
use std::path::Path;

use super::Plan;
use crate::config::{Document, Problems};
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
    let names: Vec<_> = TRANSPORTS.iter().map(|transport| transport.name).collect();
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
    insta::assert_snapshot!(prove(SOUND, &[]).unwrap());
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
