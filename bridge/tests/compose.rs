//! Holds `docker-compose.yml` against `scripts/brokers.env`: no container engine runs where these
//! tests do, so agreement is all that can be shown of that file.

#[path = "common/brokers.rs"]
#[expect(dead_code, reason = "the live tests use the rest")]
mod brokers;

use brokers::{repository, setting, settings};
use saphyr::{LoadableYamlNode, Yaml};

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
    std::fs::read_to_string(repository().join("docker-compose.yml")).expect("the file is there")
}

/// The strings of the list at `services.SERVICE.KEY`, or the one string there.
fn strings(service: &str, key: &str) -> Vec<String> {
    let text = with_defaults();
    let documents = Yaml::load_from_str(&text).expect("docker-compose.yml is YAML");
    let node = documents[0]["services"][service][key].clone();
    match node.as_str() {
        Some(text) => vec![text.to_owned()],
        None => node
            .as_sequence()
            .unwrap_or_else(|| panic!("services.{service}.{key} is a list"))
            .iter()
            .map(|item| item.as_str().expect("a string").to_owned())
            .collect(),
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
    let properties = std::fs::read_to_string(file).expect("the file is there");
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
