//! Settings through the whole path, with the transports that there are: the files in `config/` are
//! proven as they stand, and what is wrong with a file is told with its line, value and remedy.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/brokers.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod brokers;
#[path = "config_files/checks.rs"]
mod checks;
#[path = "common/documents.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod documents;
#[path = "config_files/problems.rs"]
mod problems;
#[path = "config_files/references.rs"]
mod references;
#[path = "config_files/secrets.rs"]
mod secrets;
#[path = "config_files/shown.rs"]
mod shown;
#[path = "config_files/sinks.rs"]
mod sinks;
#[path = "config_files/unsound.rs"]
mod unsound;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cloudevents_nl_bridge::config::{Document, Problem, Problems};
use cloudevents_nl_bridge::plan::{Plan, schema};
use cloudevents_nl_bridge::transport::registry::{TRANSPORTS, connection_names};

/// What must never be seen.
const HIDDEN: &str = "hunter2";

fn prove(text: &str, variables: &[(&str, &str)]) -> Result<Plan, Problems> {
    let variables = variables
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let names: Vec<_> = connection_names(TRANSPORTS).collect();
    let document = Document::parse(Path::new("bridge.toml"), text, variables, &names)?;
    Plan::prove(&document, TRANSPORTS)
}

/// The only problem of the settings.
fn problem(text: &str, variables: &[(&str, &str)]) -> Problem {
    let problems = prove(text, variables).unwrap_err();
    assert!(!problems.to_string().contains(HIDDEN), "{problems}");
    assert_eq!(problems.iter().len(), 1, "{problems}");
    problems.iter().next().unwrap().clone()
}

fn example_files() -> Vec<PathBuf> {
    let folder = brokers::repository().join("config");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_examples_are_sound_and_name_the_test_brokers() {
    let files = example_files();
    let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap()).collect();
    assert_eq!(
        names,
        [
            "bridge.toml",
            "kafka-to-webhook.toml",
            "nats-to-kafka.toml",
            "webhook-to-kafka.toml",
            "webhook-to-nats.toml",
        ]
    );
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        prove(&text, &[]).unwrap_or_else(|problems| panic!("{}: {problems}", file.display()));
        let kafka = format!("brokers = \"{}\"", brokers::address("KAFKA_PORT"));
        let nats = format!("servers = \"{}\"", brokers::address("NATS_PORT"));
        for (table, line) in [("[kafka.", kafka), ("[nats.", nats)] {
            let is_named = text.contains(&line);
            assert_eq!(text.contains(table), is_named, "{}", file.display());
        }
    }
}

/// What the JSON Schema finds wrong with a settings file.
fn against_schema(text: &str) -> Vec<String> {
    let schema = jsonschema::validator_for(&schema(TRANSPORTS)).unwrap();
    let settings: toml::Table = text.parse().unwrap();
    let settings = serde_json::to_value(settings).unwrap();
    let errors = schema.iter_errors(&settings);
    errors.map(|error| error.to_string()).collect()
}

#[test]
fn the_schema_takes_what_is_sound_and_refuses_what_it_can_see() {
    for file in example_files() {
        let errors = against_schema(&fs::read_to_string(&file).unwrap());
        assert_eq!(errors, [""; 0], "{}", file.display());
    }
    let filter = "filter = { all = [{ prefix = { type = \"nl.\" } }, { not = { exact = { id = \"1\" } } }] }";
    let name = "name = \"out\"";
    let filtered = SOUND.replace(name, &format!("{name}\n{filter}"));
    assert_eq!(against_schema(&filtered), [""; 0]);
    let referring = SOUND
        .replace(
            name,
            &format!("{name}\nin_flight = \"${{MOST}}\"\norder = \"${{ORDER}}\""),
        )
        .replace("group = \"g\"", "group = \"g\"\ndrain = \"${DRAIN:-1s}\"");
    assert_eq!(against_schema(&referring), [""; 0]);
    prove(&referring, &[("MOST", "3"), ("ORDER", "none")]).unwrap();
    for (from, to) in [
        ("brokers", "broker"),
        ("topic = \"zaken.dead\"", ""),
        ("\"linger.ms\" = 5", "\"linger.ms\" = [5]"),
        (name, "name = \"out\"\norder = \"keys\""),
        (name, "name = \"out\"\nwindow_events = 0"),
        (name, "name = \"out\"\nfilter = { al = [] }"),
        ("url = ", "uri = "),
        ("group = \"g\"", "group = \"g\"\ndrain = 10"),
    ] {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let text = SOUND.replace(from, to);
        assert!(!against_schema(&text).is_empty(), "{to}");
        assert!(prove(&text, &[]).is_err(), "{to}");
    }
}

#[test]
fn check_config_prints_what_the_complete_example_comes_to() {
    let file = brokers::repository().join("config/bridge.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
        .args(["check-config", "--config"])
        .arg(file)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors, "");
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

/// A sound file with one route of each kind; a test puts one thing wrong.
const SOUND: &str = r#"
[kafka.main]
brokers = "127.0.0.1:1"
properties = { "linger.ms" = 5 }

[http.in]
listen = "127.0.0.1:8080"

[[route]]
name = "in"
[route.source]
http = "in"
path = "/events"
[route.sink]
kafka = "main"
topic = "zaken"

[[route]]
name = "out"
[route.source]
kafka = "main"
topic = "zaken"
group = "g"
[route.sink]
url = "https://receiver.example/hook"
[route.dead_letter]
kafka = "main"
topic = "zaken.dead"
"#;
