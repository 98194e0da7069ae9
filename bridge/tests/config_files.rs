//! Settings through the whole path, with the transports that there are: the files in `config/` are
//! proven as they stand, and what is wrong with a file is told with its line, value and remedy.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/brokers.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod brokers;
#[path = "config_files/sinks.rs"]
mod sinks;

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

fn example(name: &str) -> String {
    fs::read_to_string(brokers::repository().join("config").join(name)).unwrap()
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
fn the_filter_in_the_readme_is_one() {
    let readme = example("README.md");
    let filter = readme.split("```toml\n").nth(1).unwrap();
    let filter = filter.split("```").next().unwrap();
    let text = example("kafka-to-webhook.toml")
        .replace("[route.source]", &format!("{filter}\n[route.source]"));
    let plan = prove(&text, &[]).unwrap();
    assert!(plan.routes[0].filter.is_some());
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

#[test]
fn problems_of_the_transports_name_line_key_value_and_remedy() {
    for (from, to, line, key, value, what, remedy) in [
        (
            r#""linger.ms" = 5"#,
            r#""linger.msec" = 5"#,
            4,
            r#"kafka.main.properties."linger.msec""#,
            None,
            "librdkafka has no such property",
            "did you mean \"linger.ms\"?",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""session.timeout.ms" = 0"#,
            4,
            r#"kafka.main.properties."session.timeout.ms""#,
            Some("0"),
            "range",
            "CONFIGURATION.md",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.password" = ["hunter2"]"#,
            4,
            r#"kafka.main.properties."sasl.password""#,
            None,
            "expected text",
            "correct",
        ),
        (
            r#"{ "linger.ms" = 5 }"#,
            "{}\nsecrets = { \"sasl.password\" = { file = \"/nonexistent/password\" } }",
            5,
            r#"kafka.main.secrets."sasl.password".file"#,
            Some(r#""/nonexistent/password""#),
            "cannot be read",
            "make the file readable",
        ),
        (
            r#"{ "linger.ms" = 5 }"#,
            "{}\nsecrets = { \"sasl.password\" = \"hunter2\" }",
            5,
            r#"kafka.main.secrets."sasl.password""#,
            Some("***"),
            "exactly one of the keys \"file\", \"env\"",
            "correct",
        ),
        (
            "127.0.0.1:1",
            "kafka",
            3,
            "kafka.main.brokers",
            Some(r#""kafka""#),
            "is not a list of host:port",
            "kafka-1:9092",
        ),
        (
            "127.0.0.1:8080",
            "0.0.0.0:8080",
            7,
            "http.in.listen",
            Some(r#""0.0.0.0:8080""#),
            "events would arrive unprotected",
            "behind_proxy",
        ),
        (
            "127.0.0.1:8080",
            "localhost:8080",
            7,
            "http.in.listen",
            Some(r#""localhost:8080""#),
            "not an IP address with a port",
            "127.0.0.1:8080",
        ),
        (
            "/events\"",
            "/events\"\ntokens_file = \"/nonexistent/tokens\"",
            14,
            "route[0].source.tokens_file",
            Some(r#""/nonexistent/tokens""#),
            "cannot be used",
            "one token per line",
        ),
        (
            "https://receiver.example/hook",
            "http://receiver.example/hook?token=hunter2",
            25,
            "route[1].sink.url",
            Some(r#""http://receiver.example/hook?***""#),
            "plain HTTP leaves this machine",
            "use https",
        ),
        (
            "https://receiver.example/hook",
            "https://me:hunter2@receiver.example/hook",
            25,
            "route[1].sink.url",
            Some(r#""https://***@receiver.example/hook""#),
            "credentials in a URL",
            "token_file",
        ),
        (
            "https://receiver.example/hook",
            "me:hunter2@receiver.example?hunter2",
            25,
            "route[1].sink.url",
            Some(r#""***@receiver.example?***""#),
            "not a",
            "https://host/path",
        ),
        (
            "hook\"",
            "hook\"\ntoken_file = \"/nonexistent/token\"",
            26,
            "route[1].sink.token_file",
            Some(r#""/nonexistent/token""#),
            "cannot be used",
            "make it one token",
        ),
        (
            "hook\"",
            "hook\"\ntoken_env = \"CENL_TEST_NO_SUCH_VARIABLE\"",
            26,
            "route[1].sink.token_env",
            Some(r#""CENL_TEST_NO_SUCH_VARIABLE""#),
            "not set",
            "make it one token",
        ),
        (
            "hook\"",
            "hook\"\nca_file = \"/nonexistent/ca.pem\"",
            26,
            "route[1].sink.ca_file",
            Some(r#""/nonexistent/ca.pem""#),
            "cannot be used",
            "PEM",
        ),
        (
            "hook\"",
            "hook\"\nexchange_timeout = 30",
            26,
            "route[1].sink.exchange_timeout",
            Some("30"),
            "a span of time with its unit",
            "correct",
        ),
        (
            "group = \"g\"\n",
            "",
            20,
            "route[1].source.group",
            None,
            "is missing",
            "add `group = …` to [route.source]",
        ),
        (
            "group = \"g\"",
            "group = \"g\"\ndrain = \"60s\"",
            24,
            "route[1].source.drain",
            Some(r#""60s""#),
            "a minute or more",
            "shorter",
        ),
        (
            "kafka = \"main\"\ntopic = \"zaken.dead\"",
            "url = \"https://dead.example/?hunter2\"",
            27,
            "route[1].dead_letter.url",
            Some("\"https://dead.example/?***\""),
            "cannot keep dead letters",
            "a Kafka topic",
        ),
    ] {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let problem = problem(&SOUND.replace(from, to), &[]);
        assert_eq!(problem.origin, format!("bridge.toml:{line}"), "{problem}");
        assert_eq!(problem.key, key);
        assert_eq!(problem.value.as_deref(), value, "{key}");
        assert!(problem.what.contains(what), "{problem}");
        assert!(problem.remedy.contains(remedy), "{problem}");
    }
}

/// A secret under a misspelt key, or in a shape or a place that nobody asked for.
#[test]
fn a_value_that_may_be_a_secret_is_not_shown() {
    let sink = "https://receiver.example/hook\"";
    for (from, to, key, remedy) in [
        (
            "/events\"",
            "/events\"\npasword = \"hunter2\"".to_owned(),
            "route[0].source.pasword",
            "remove it; the keys here are",
        ),
        (
            sink,
            format!("{sink}\ntken_file = \"hunter2\""),
            "route[1].sink.tken_file",
            "did you mean \"token_file\"?",
        ),
        (
            sink,
            format!("{sink}\npsk = [\"hunter2\"]"),
            "route[1].sink.psk",
            "remove it; the keys here are",
        ),
        (
            r#"properties = { "linger.ms" = 5 }"#,
            r#"propertis = { "sasl.password" = "hunter2" }"#.to_owned(),
            "kafka.main.propertis",
            "did you mean \"properties\"?",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.pasword" = "hunter2""#.to_owned(),
            r#"kafka.main.properties."sasl.pasword""#,
            "did you mean \"sasl.password\"?",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.pasword" = ["hunter2"]"#.to_owned(),
            r#"kafka.main.properties."sasl.pasword""#,
            "correct the value",
        ),
        (
            r#"{ "linger.ms" = 5 }"#,
            r#""sasl.password=hunter2""#.to_owned(),
            "kafka.main.properties",
            "write it as a table",
        ),
        (
            "[http.in]",
            "[nats]\nmain = \"nats://me:hunter2@nats.example\"\n[http.in]".to_owned(),
            "nats.main",
            "write it as a table: main = { … }",
        ),
        (
            sink,
            format!("{sink}\ntoken_file = \"hunter2\""),
            "route[1].sink.token_file",
            "make it one token",
        ),
        (
            "/events\"",
            "/events\"\ntokens_file = \"hunter2\"".to_owned(),
            "route[0].source.tokens_file",
            "one token per line",
        ),
        (
            sink,
            format!("{sink}\nca_file = [\"hunter2\"]"),
            "route[1].sink.ca_file",
            "correct the value",
        ),
        (
            "127.0.0.1:1\"",
            "me:hunter2@127.0.0.1:z\"".to_owned(),
            "kafka.main.brokers",
            "kafka-1:9092",
        ),
    ] {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let problem = problem(&SOUND.replace(from, &to), &[]);
        assert!(problem.origin.starts_with("bridge.toml:"), "{problem}");
        assert_eq!(problem.key, key);
        assert!(problem.remedy.contains(remedy), "{problem}");
    }
    for (variable, key) in [
        ("CENL__HTTP__IN__PASWORD", "http.in.pasword"),
        ("CENL__KAFKA__MAIN__SASL_PASWORD", "kafka.main.sasl_pasword"),
        ("CENL__KAFKA__MAIN__PROPERTIES", "kafka.main.properties"),
        ("CENL__PASWORD", "pasword"),
    ] {
        let problem = problem(SOUND, &[(variable, HIDDEN)]);
        assert_eq!(problem.origin, format!("environment variable {variable}"));
        assert_eq!(problem.key, key);
    }
}

#[test]
fn a_variable_is_named_where_it_holds_the_problem() {
    for (variable, value, key) in [
        (
            "CENL__KAFKA__MAIN__PROPERTIES__LINGER_MS",
            "soon",
            r#"kafka.main.properties."linger.ms""#,
        ),
        (
            "CENL__KAFKA__MAIN__SECRETS__SASL_PASSWORD__FILE",
            "/nonexistent",
            r#"kafka.main.secrets."sasl.password".file"#,
        ),
        ("CENL__HTTP__IN__LISTEN", "80", "http.in.listen"),
        ("CENL__HTTP__IN__BEHIND_PROXY", "ja", "http.in.behind_proxy"),
    ] {
        let problem = problem(SOUND, &[(variable, value)]);
        assert_eq!(problem.origin, format!("environment variable {variable}"));
        assert_eq!(problem.key, key);
        assert_eq!(problem.value, Some(format!("{value:?}")));
    }
}

#[test]
fn a_secret_that_librdkafka_refuses_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, HIDDEN).unwrap();
    for property in ["security.protocol", "linger.ms", "compression.codec"] {
        let secrets = format!("secrets = {{ {property:?} = {{ file = {secret:?} }} }}");
        let text = SOUND.replace(r#"properties = { "linger.ms" = 5 }"#, &secrets);
        problem(&text, &[]);
    }
}

#[test]
fn check_config_shows_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, HIDDEN).unwrap();
    let file = folder.path().join("bridge.toml");
    let text = SOUND
        .replace("5 }", "5, \"sasl.password\" = \"hunter2\" }")
        .replace(
            "/hook\"",
            &format!("/hook?access_token=hunter2\"\ntoken_file = {token:?}"),
        );
    fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
        .args(["check-config", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!shown.contains(HIDDEN), "{shown}");
    for line in [
        "kafka.main.properties.\"sasl.password\" = ***",
        "route[1].sink.url = \"https://receiver.example/hook?***\"",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
}

#[test]
fn a_line_that_is_not_toml_is_named_and_not_repeated() {
    for line in [
        "token = hunter2",
        "token = \"hunter2",
        "x = {\n \"a\" = \"hunter2\",\n b }",
        "\"hunter2\"",
    ] {
        let problem = problem(&format!("[log]\n{line}\n"), &[]);
        assert!(problem.what.starts_with("is not TOML"), "{problem}");
    }
}
