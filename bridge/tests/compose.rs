//! Holds `docker-compose.yml` against `scripts/brokers.env` and the files that it names: no container engine runs
//! where these tests do, so agreement is all that can be shown of that file.

#[path = "common/brokers.rs"]
#[expect(dead_code, reason = "the live tests use the rest")]
mod brokers;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use brokers::{repository, setting, settings};
use saphyr::{LoadableYamlNode, Yaml};

/// Those that `scripts/brokers` starts, and those of the profile `bridge`.
const BROKERS: [&str; 2] = ["kafka", "nats"];
const BESIDE_THEM: [&str; 3] = ["bridge", "prometheus", "grafana"];

/// The text of `docker-compose.yml` with every `${NAME:-default}` replaced by its default.
fn with_defaults() -> String {
    let text = source();
    let mut parts = text.split("${");
    let mut result = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let (variable, rest) = part.split_once('}').expect("every ${ has its }");
        let (_, default) = variable
            .split_once(":-")
            .unwrap_or_else(|| panic!("${{{variable}}} has no default"));
        result.push_str(default);
        result.push_str(rest);
    }
    result
}

fn source() -> String {
    text("docker-compose.yml")
}

fn text(file: &str) -> String {
    fs::read_to_string(repository().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn document(text: &str) -> Yaml<'_> {
    let documents = Yaml::load_from_str(text).expect("it is YAML");
    documents.into_iter().next().expect("it has a document")
}

/// The strings of the list at `services.SERVICE.KEY`, or the one string there; none where nothing is.
fn strings(service: &str, key: &str) -> Vec<String> {
    let text = with_defaults();
    match document(&text)["services"][service].as_mapping_get(key) {
        None => Vec::new(),
        Some(node) => match node.as_str() {
            Some(text) => vec![text.to_owned()],
            None => node
                .as_sequence()
                .unwrap_or_else(|| panic!("services.{service}.{key} is a list"))
                .iter()
                .map(|item| item.as_str().expect("a string").to_owned())
                .collect(),
        },
    }
}

fn published(host: &str, container: &str) -> String {
    format!("127.0.0.1:{host}:{container}")
}

#[test]
fn images_have_the_pinned_versions() {
    let kafka = format!("apache/kafka:{}", setting("KAFKA_VERSION"));
    assert_eq!(strings("kafka", "image"), [kafka]);
    let nats = format!("nats:{}-alpine", setting("NATS_VERSION"));
    assert_eq!(strings("nats", "image"), [nats]);
    let bridge = format!("cenl-bridge:{}", env!("CARGO_PKG_VERSION"));
    assert!(source().contains(&format!("docker-daemon:{bridge}\n")));
    assert_eq!(strings("bridge", "image"), [bridge]);
    let prometheus = setting("PROMETHEUS_VERSION");
    assert_eq!(
        strings("prometheus", "image"),
        [format!("prom/prometheus:v{prometheus}")]
    );
    let promtool = prometheus
        .strip_prefix("3.")
        .map(|rest| format!("\nversion=0.3{rest}\n"));
    assert!(text("scripts/promtool").contains(&promtool.expect("Prometheus 3")));
    let grafana = format!("grafana/grafana:{}", setting("GRAFANA_VERSION"));
    assert_eq!(strings("grafana", "image"), [grafana]);
}

#[test]
fn without_the_profile_only_brokers_start() {
    for service in BROKERS {
        assert_eq!(strings(service, "profiles"), [""; 0], "{service}");
    }
    for service in BESIDE_THEM {
        assert_eq!(strings(service, "profiles"), ["bridge"], "{service}");
    }
    let text = source();
    let all = document(&text)["services"]
        .as_mapping()
        .map(|all| all.len());
    assert_eq!(all, Some(BROKERS.len() + BESIDE_THEM.len()));
}

#[test]
fn every_port_is_published_on_loopback_and_none_twice() {
    let mut seen = BTreeSet::new();
    for service in BROKERS.into_iter().chain(BESIDE_THEM) {
        let ports = strings(service, "ports");
        assert!(!ports.is_empty(), "{service}");
        for port in ports {
            let parts: Vec<_> = port.split(':').collect();
            assert_eq!(
                (parts.len(), parts[0]),
                (3, "127.0.0.1"),
                "{service}: {port}"
            );
            assert!(
                seen.insert(parts[1].to_owned()),
                "{service}: {port} is taken"
            );
        }
    }
}

#[test]
fn every_file_that_is_mounted_is_in_the_repository() {
    let mut seen = 0;
    for service in BESIDE_THEM {
        for volume in strings(service, "volumes") {
            let (file, place) = volume.split_once(':').expect("a file and its place");
            assert!(repository().join(file).is_file(), "{service}: {file}");
            assert!(place.ends_with(":ro"), "{service}: {volume}");
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn the_settings_of_the_bridge_are_sound_and_fit_what_is_published() {
    let file = repository().join("config/compose/bridge.toml");
    let checked = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
        .args(["check-config", "--config"])
        .arg(file)
        .env("ADMIN_TOKEN", "for-tests-only")
        .output()
        .expect("the bridge starts");
    let effective = String::from_utf8(checked.stdout).expect("text");
    let faults = String::from_utf8(checked.stderr).expect("text");
    assert!(checked.status.success(), "{faults}");
    for line in ["listen = \"0.0.0.0:9464\"", "listen = \"0.0.0.0:8080\""] {
        assert!(effective.contains(line), "{line}: {effective}");
    }
    let ports = ["127.0.0.1:8080:8080", "127.0.0.1:9464:9464"];
    assert_eq!(strings("bridge", "ports"), ports);
    assert!(source().contains("\n      ADMIN_TOKEN: for-tests-only\n"));
    // The listener that only the containers have.
    assert!(
        effective.contains("brokers = \"kafka:9092\""),
        "{effective}"
    );
    let listener = "CONTAINERS://kafka:9092,";
    assert!(text("scripts/brokers.d/compose.sh").contains(listener));
}

#[test]
fn prometheus_asks_the_bridge_and_grafana_asks_prometheus() {
    let mounted = |service, file: &str| {
        let volumes = strings(service, "volumes");
        volumes.iter().any(|volume| volume.contains(file))
    };
    let settings = text("config/compose/prometheus.yml");
    let prometheus = document(&settings);
    let job = &prometheus["scrape_configs"][0];
    assert_eq!(job["job_name"].as_str(), Some("cenl-bridge"));
    let target = &job["static_configs"][0]["targets"][0];
    assert_eq!(target.as_str(), Some("bridge:9464"));
    let rules = prometheus["rule_files"][0].as_str().expect("rules");
    assert!(mounted("prometheus", &format!(":/etc/prometheus/{rules}:")));
    let sources = text("config/compose/grafana/source.yml");
    let url = &document(&sources)["datasources"][0]["url"];
    assert_eq!(url.as_str(), Some("http://prometheus:9090"));
    let boards = text("config/compose/grafana/boards.yml");
    let folder = &document(&boards)["providers"][0]["options"]["path"];
    let folder = folder.as_str().expect("a folder");
    assert!(mounted("grafana", &format!(":{folder}/cenl-bridge.json:")));
}

#[test]
fn every_listener_is_published_on_its_port_of_loopback_and_nothing_else_is() {
    let same = |name| published(setting(name), setting(name));
    assert_eq!(
        strings("kafka", "ports"),
        [
            "KAFKA_PORT",
            "KAFKA_SASL_SSL_PORT",
            "KAFKA_SSL_PORT",
            "KAFKA_PROXIED_PORT"
        ]
        .map(same)
    );
    assert_eq!(
        strings("nats", "ports"),
        [
            published(setting("NATS_PORT"), "4222"),
            published(setting("NATS_MONITOR_PORT"), "8222"),
        ]
    );
}

/// A broker reads keys of tokens only from URLs that its virtual machine was told.
#[test]
fn the_broker_may_read_the_keys_of_tokens() {
    let file = repository().join("scripts/brokers.d/server.properties");
    let properties = fs::read_to_string(file).expect("the file is there");
    let mut lines = properties.lines();
    let url = lines.find_map(|line| line.split_once("jwks.endpoint.url="));
    let (_, url) = url.expect("the broker checks tokens");
    let url = url.replace("@CERTIFICATES@", "/etc/cenl/certificates");
    let option = format!("allowed.urls={url}\n");
    assert!(source().contains(&option), "{option}");
}

#[test]
fn every_default_is_the_pinned_value() {
    let text = source();
    let mut seen = 0;
    for (name, value) in settings() {
        for part in text.split(&format!("${{{name}:-")).skip(1) {
            let default = part.split('}').next();
            assert_eq!(default, Some(value), "the default of {name}");
            seen += 1;
        }
    }
    let own_place = text.matches("${CENL_BROKERS_DIR:-").count();
    assert_eq!(
        seen + own_place,
        text.matches("${").count(),
        "a name is unknown"
    );
}
