//! The tables of metrics against what is written of them: the documentation, the rules, the board.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use saphyr::{LoadableYamlNode, Yaml};
use serde_json::Value as Json;

use super::*;
use crate::route::dead_letter::Kind;

const HEAD: &str = "| metric | meaning |\n| --- | --- |\n";

/// A file of the repository, of which this package may be a copy.
fn file(name: &str) -> PathBuf {
    let around = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = around.map(|folder| folder.join(name));
    files.find(|file| file.exists()).unwrap()
}

fn text(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

/// Name and help, as `/metrics` shows them.
fn metrics() -> Vec<(String, &'static str)> {
    fn of<T>(table: &[Metric<T>]) -> impl Iterator<Item = (String, &'static str)> {
        table.iter().map(|Metric(kind, name, help, _)| {
            let total = match kind {
                MetricType::Counter => "_total",
                _ => "",
            };
            (format!("{name}{total}"), *help)
        })
    }
    of(METRICS).chain(of(INGRESS)).chain(of(PROCESS)).collect()
}

/// `INSTA_UPDATE=always` writes the table.
#[test]
fn the_documentation_lists_every_metric() {
    let rows = metrics()
        .into_iter()
        .map(|(name, help)| format!("| `{name}` | {help} |\n"));
    let rows: String = rows.collect();
    let text = text("docs/operations.md");
    let (before, table) = text.split_once(HEAD).unwrap();
    let (found, after) = table.split_once("\n\n").unwrap();
    if env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        let written = format!("{before}{HEAD}{rows}\n{after}");
        fs::write(file("docs/operations.md"), written).unwrap();
    } else {
        assert_eq!(found, rows.trim_end());
    }
}

#[test]
fn the_documentation_says_of_every_kind_of_dead_letter_what_to_do() {
    let text = text("docs/operations.md");
    let (_, table) = text.split_once("| `cenl-kind` |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    let kinds: Vec<_> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(kinds, Kind::ALL.map(Kind::word));
}

#[test]
fn names_and_help_keep_to_the_conventions_of_prometheus() {
    let metrics = metrics();
    let names: BTreeSet<_> = metrics.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), metrics.len(), "a name is there twice");
    for (name, help) in &metrics {
        let is_named = name.starts_with("cenl_") || name.starts_with("process_");
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        assert!(is_named && name.bytes().all(is_letter), "{name}");
        assert!(help.len() > 7 && help.ends_with('.'), "{name}: {help}");
        for unit in ["_ms", "_millis", "_milliseconds", "_kilobytes", "_minutes"] {
            assert!(!name.contains(unit), "{name} is not in a base unit");
        }
    }
}

/// The names of metrics in an expression.
fn names(expression: &str) -> Vec<String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = expression.split(|letter| !is_letter(letter));
    let of_bridge = |word: &&str| word.starts_with("cenl_") || word.starts_with("process_");
    let names = words.filter(of_bridge).map(|word| {
        let suffixes = ["_bucket", "_sum", "_count"];
        let base = suffixes.iter().find_map(|suffix| word.strip_suffix(suffix));
        base.unwrap_or(word).to_owned()
    });
    names.collect()
}

fn check(place: &str, expression: &str) {
    let known = metrics();
    let used = names(expression);
    assert!(
        !used.is_empty() || expression.starts_with("up{"),
        "{place}: {expression}"
    );
    for name in used {
        let is_known = known.iter().any(|(known, _)| *known == name);
        assert!(is_known, "{place} names {name}, which is not there");
    }
}

#[test]
fn every_alert_is_about_metrics_that_are_there_and_says_what_to_do() {
    let (rules, tests) = (
        text("config/prometheus/cenl-bridge.rules.yml"),
        text("config/prometheus/cenl-bridge.test.yml"),
    );
    let rules = Yaml::load_from_str(&rules).unwrap();
    let groups = rules[0]["groups"].as_vec().unwrap();
    let rules: Vec<_> = groups
        .iter()
        .flat_map(|group| group["rules"].as_vec().unwrap())
        .collect();
    assert!(rules.len() > 10);
    let documented = text("docs/operations.md");
    let (_, documented) = documented
        .split_once("| alert | what it asks of you |")
        .unwrap();
    let documented: Vec<_> = documented
        .lines()
        .filter_map(|line| line.strip_prefix("| `Cenl")?.split_once('`'))
        .map(|(name, _)| format!("Cenl{name}"))
        .collect();
    let mut alerts = Vec::new();
    for rule in rules {
        let name = rule["alert"].as_str().unwrap();
        check(name, rule["expr"].as_str().unwrap());
        assert!(rule["annotations"]["summary"].as_str().is_some(), "{name}");
        assert!(matches!(
            rule["labels"]["severity"].as_str(),
            Some("critical" | "warning")
        ));
        assert!(
            tests.contains(&format!("alertname: {name}\n        exp_alerts:\n")),
            "{name}"
        );
        alerts.push(name.to_owned());
    }
    assert_eq!(alerts, documented);
}

#[test]
fn every_panel_of_the_board_is_about_metrics_that_are_there() {
    let board: Json = serde_json::from_str(&text("config/grafana/cenl-bridge.json")).unwrap();
    let mut count = 0;
    for panel in board["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap();
        for target in panel["targets"].as_array().into_iter().flatten() {
            check(title, target["expr"].as_str().unwrap());
            count += 1;
        }
    }
    assert!(count > 20);
    for variable in board["templating"]["list"].as_array().unwrap() {
        let query = variable["query"].as_str().unwrap();
        if query != "prometheus" {
            check("a variable", query);
        }
    }
}

#[test]
fn a_name_that_is_not_there_is_noticed() {
    let noticed =
        |expression: &str| std::panic::catch_unwind(|| check("test", expression)).is_err();
    for (expression, is_wrong) in [
        ("rate(cenl_events_total[5m])", false),
        (
            "sum by (le) (rate(cenl_delivery_latency_seconds_bucket[5m]))",
            false,
        ),
        ("rate(cenl_events[5m])", true),
        ("cenl_lag > 0 and cenl_in_flight", true),
        ("vector(1)", true),
    ] {
        assert_eq!(noticed(expression), is_wrong, "{expression}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_route_is_ready_while_it_ticks_and_its_source_is_joined() {
    let telemetry = Telemetry::new([("a".into(), Places::default())]);
    assert_eq!(telemetry.not_ready(), "route a: is starting\n");
    telemetry.tick("a", false);
    let not_joined = "route a: its source has not joined\n";
    assert_eq!(telemetry.not_ready(), not_joined);
    telemetry.tick("a", true);
    assert_eq!(telemetry.not_ready(), "");
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(telemetry.not_ready(), "");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(telemetry.not_ready(), "route a: has not run for 11 s\n");
    telemetry.tick("a", true);
    assert_eq!(telemetry.not_ready(), "");
}

#[tokio::test(start_paused = true)]
async fn a_route_that_stands_still_is_stuck_unless_it_has_ended() {
    let telemetry = Telemetry::new(["a", "b"].map(|name| (name.into(), Places::default())));
    assert!(!telemetry.is_stuck(), "they are starting");
    telemetry.tick("a", true);
    telemetry.tick("b", true);
    telemetry.end("b");
    let ended = "route b: does not run, see the log\n";
    assert_eq!(telemetry.not_ready(), ended);
    tokio::time::advance(STALE + Duration::from_secs(1)).await;
    assert!(telemetry.is_stuck());
    telemetry.remove("a");
    assert!(!telemetry.is_stuck());
    telemetry.start(&"b".into(), Places::default());
    assert_eq!(telemetry.not_ready(), "route b: is starting\n");
}

#[test]
fn answers_are_counted_by_path_and_class() {
    let telemetry = Telemetry::default();
    for (path, status) in [
        ("/events", 202),
        ("/events", 503),
        ("/events", 503),
        ("other", 404),
    ] {
        let status = http::StatusCode::from_u16(status).unwrap();
        telemetry.answers.of("127.0.0.1:1", path).count(status);
    }
    let shown = telemetry.exposition();
    for (path, class, count) in [
        ("/events", "2xx", 1),
        ("/events", "4xx", 0),
        ("/events", "5xx", 2),
        ("other", "4xx", 1),
    ] {
        let line = format!(
            "cenl_ingress_answers_total{{listener=\"127.0.0.1:1\",path=\"{path}\",class=\"{class}\"}} {count}\n"
        );
        assert!(shown.contains(&line), "{line} in {shown}");
    }
}

#[test]
fn events_that_wait_for_an_operator_are_counted() {
    let telemetry = Telemetry::new([("a".into(), Places::default())]);
    lock(&telemetry.routes).get_mut("a").unwrap().events_held = 2;
    let shown = telemetry.exposition();
    let line = "cenl_events_held{route=\"a\"} 2\n";
    assert!(shown.contains(line), "{shown}");
}

#[test]
fn what_is_not_known_is_not_shown() {
    let telemetry = Telemetry::new([("a".into(), Places::default())]);
    let shown = telemetry.exposition();
    for name in [
        "cenl_source_lag_messages",
        "cenl_connection_up",
        "cenl_last_delivery",
        "cenl_dead_letters_open",
    ] {
        let is_shown = shown.lines().any(|line| line.starts_with(name));
        assert!(!is_shown, "{name} in {shown}");
    }
    assert!(shown.contains(&format!(
        "cenl_build_info{{version=\"{}\"}} 1\n",
        env!("CARGO_PKG_VERSION")
    )));
    #[cfg(target_os = "linux")]
    assert!(shown.contains("\nprocess_cpu_seconds_total{} "), "{shown}");
}

#[test]
fn a_route_that_starts_anew_stays_paused_and_counts_from_nothing() {
    let telemetry = Telemetry::default();
    let name: Arc<str> = "a".into();
    assert!(!telemetry.start(&name, Places::default()));
    {
        let mut routes = lock(&telemetry.routes);
        let snapshot = routes.get_mut(&name).unwrap();
        (snapshot.paused, snapshot.lost) = (true, 7);
    }
    telemetry.end(&name);
    assert!(telemetry.start(&name, Places::default()));
    assert_eq!(telemetry.each(|_, it| (it.paused, it.lost)), [(true, 0)]);
    telemetry.remove(&name);
    assert!(!telemetry.start(&name, Places::default()));
}
