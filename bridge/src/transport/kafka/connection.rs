//! `[kafka.NAME]`: how to reach a cluster, proven without reaching it.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::BaseConsumer;
use rdkafka::producer::BaseProducer;
use serde::Deserialize;

use super::client::told;
use super::property::{self, PropertyValue};
use super::settings::is_name;

use crate::transport::secret::Secret;
use crate::transport::setting::SettingProblem;

/// `[kafka.NAME]`: a cluster that routes read from and write to.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// Brokers to ask first, as `host:port` with commas between them. No default.
    pub brokers: String,
    /// What tells this process from every other that runs and reads with the same groups. A process
    /// that is started again under the name of the one before takes its partitions over at once,
    /// instead of when `session.timeout.ms` is over (Kafka's static membership, KIP-345). Letters,
    /// digits, dots, underscores and hyphens, 100 at most, and 249 with a dot and the topic behind it.
    /// None by default.
    #[serde(default)]
    pub instance: Option<String>,
    /// Any property of librdkafka but those that the bridge owns, for example
    /// `"security.protocol" = "sasl_ssl"`. Empty by default. `ssl.ca.location` is `probe` (the
    /// certificates of the system) unless it is given here.
    #[serde(default)]
    pub properties: BTreeMap<String, PropertyValue>,
    /// Properties whose value is kept elsewhere, for example
    /// `"sasl.password" = { file = "…" }` or `{ env = "…" }`. Empty by default.
    #[serde(default)]
    pub secrets: BTreeMap<String, Secret>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("brokers", &self.brokers)
            .field("instance", &self.instance)
            .field("properties", &self.properties)
            .field("secrets", &self.secrets)
            .finish()
    }
}

/// A connection whose properties librdkafka accepts.
#[derive(Clone)]
pub struct Cluster {
    properties: BTreeMap<String, String>,
    instance: Option<String>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.properties.keys()).finish()
    }
}

impl Connection {
    /// Reads the secrets and checks every property against librdkafka. Opens no connection.
    ///
    /// # Errors
    /// Every problem found, in the order of the keys.
    pub fn prove(
        &self,
        read_secret: impl Fn(&Secret) -> io::Result<String>,
    ) -> Result<Cluster, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        problems.extend(self.brokers_problem());
        let mut properties = BTreeMap::from([("ssl.ca.location".into(), "probe".into())]);
        for (name, value) in &self.properties {
            let key = format!("properties.{name}");
            if self.secrets.contains_key(name) {
                let what = "stands under `secrets` too";
                problems.push(SettingProblem::new(
                    key.clone(),
                    what,
                    "keep one of the two",
                ));
            }
            problems.extend(property::check(key, name, value.as_str(), false));
            properties.insert(name.clone(), value.as_str().to_owned());
        }
        for (name, secret) in &self.secrets {
            let key = format!("secrets.{name}.{}", secret.kind());
            match read_secret(secret) {
                Ok(value) => {
                    problems.extend(property::check(key, name, &value, true));
                    properties.insert(name.clone(), value);
                }
                Err(error) => {
                    let what = format!("cannot be read: {error}");
                    let remedy = "make the file readable or set the variable";
                    problems.push(SettingProblem::new(key, what, remedy));
                }
            }
        }
        problems.extend(self.instance_problem(&properties));
        if problems.is_empty() {
            problems.extend(together(&properties));
        }
        properties.insert("bootstrap.servers".into(), self.brokers.clone());
        match problems.is_empty() {
            true => Ok(Cluster {
                properties,
                instance: self.instance.clone(),
            }),
            false => Err(problems),
        }
    }

    fn brokers_problem(&self) -> Option<SettingProblem> {
        let is_broker = |broker: &str| {
            broker.trim().rsplit_once(':').is_some_and(|(host, port)| {
                !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
            })
        };
        (!self.brokers.split(',').all(is_broker)).then(|| {
            let remedy = "write for example \"kafka-1:9092,kafka-2:9092\"";
            SettingProblem::new("brokers", "is not a list of host:port", remedy)
        })
    }

    fn instance_problem(&self, properties: &BTreeMap<String, String>) -> Option<SettingProblem> {
        let instance = self.instance.as_deref()?;
        if !is_name(instance, MOST_OF_AN_INSTANCE) {
            let remedy = "use 1 to 100 letters, digits, dots, underscores and hyphens";
            let what = "is not the name of a process";
            return Some(SettingProblem::new("instance", what, remedy));
        }
        let protocol = properties.get("group.protocol")?;
        protocol.eq_ignore_ascii_case("consumer").then(|| {
            // A broker gives the place of a member away in the classic protocol alone.
            let what = "serves nothing with group.protocol = \"consumer\": a process that was killed \
                        would keep its successor out";
            SettingProblem::new("instance", what, "leave one of the two out")
        })
    }
}

/// What librdkafka says to all properties together. Without brokers a client goes nowhere.
fn together(properties: &BTreeMap<String, String>) -> Option<SettingProblem> {
    let config = ClientConfig::from_iter(properties.clone());
    let consumer = config.create::<BaseConsumer>().err();
    let said = consumer.or_else(|| config.create::<BaseProducer>().err())?;
    let remedy = "change the properties that do not go together";
    Some(SettingProblem::new("properties", told(&said), remedy))
}

impl Cluster {
    /// A client configuration: `defaults`, then what the operator wrote, then what the bridge owns.
    pub(super) fn client_config(
        &self,
        defaults: &[(&str, &str)],
        owned: &[(&str, &str)],
    ) -> ClientConfig {
        let mut config = ClientConfig::new();
        let pairs = |pairs: &[(&str, &str)]| {
            let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
            pairs.iter().map(owned).collect::<Vec<_>>()
        };
        config.extend(pairs(SHARED_DEFAULTS));
        config.extend(pairs(defaults));
        // Which of two names for one property librdkafka sees last is left to chance.
        for (name, other) in TWO_NAMES {
            if self.properties.contains_key(*other) {
                config.remove(name);
            }
        }
        config.extend(self.properties.clone());
        config.extend(pairs(owned));
        config.set_log_level(RDKafkaLogLevel::Info);
        config
    }

    /// The brokers as the operator wrote them.
    pub(super) fn brokers(&self) -> &str {
        self.property("bootstrap.servers").unwrap_or_default()
    }

    /// What tells a member of this process in a group from those of others. A process may read
    /// several topics with one group, so the topic is a part of it.
    pub(super) fn member(&self, topic: &str) -> Option<String> {
        Some(format!("{}.{topic}", self.instance.as_deref()?))
    }

    /// What the operator wrote for a property.
    pub(super) fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str)
    }
}

/// Most of a member's name is left to the topic behind it.
const MOST_OF_AN_INSTANCE: usize = 100;

/// Reconnecting often enough that a broker that is back is seen at once; librdkafka's default
/// waits up to ten seconds, in which messages time out.
const SHARED_DEFAULTS: &[(&str, &str)] = &[
    ("client.id", "cenl-bridge"),
    ("reconnect.backoff.max.ms", "500"),
    ("socket.keepalive.enable", "true"),
];

/// Properties that have a default here, and the other name under which an operator may write them.
const TWO_NAMES: &[(&str, &str)] = &[
    ("compression.type", "compression.codec"),
    ("linger.ms", "queue.buffering.max.ms"),
    ("max.in.flight.requests.per.connection", "max.in.flight"),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn connection(json: &str) -> Connection {
        serde_json::from_str(json).unwrap()
    }

    fn keys(json: &str) -> Vec<String> {
        let read = |_: &Secret| Ok("hush".to_owned());
        let problems = connection(json).prove(read).err().unwrap_or_default();
        problems.into_iter().map(|problem| problem.key).collect()
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let json = r#"{ "brokers": "localhost", "properties": { "acks": 1, "bogus": true,
            "group.id": "g", "sasl.password": "x" }, "secrets": { "sasl.password": { "env": "P" } } }"#;
        assert_eq!(
            keys(json),
            [
                "brokers",
                "properties.acks",
                "properties.bogus",
                "properties.group.id",
                "properties.sasl.password"
            ]
        );
    }

    #[test]
    fn an_instance_is_a_name_and_goes_with_the_classic_protocol() {
        for instance in ["bridge-0", "a", "zaak.nl_1"] {
            let json = format!(r#"{{ "brokers": "b:9092", "instance": "{instance}" }}"#);
            assert_eq!(keys(&json), [""; 0], "{instance}");
        }
        let long = "x".repeat(101);
        for instance in ["", "bridge 0", "bridge/0", "$(POD_NAME)", &long] {
            let json = format!(r#"{{ "brokers": "b:9092", "instance": "{instance}" }}"#);
            assert_eq!(keys(&json), ["instance"], "{instance}");
        }
        let json = r#"{ "brokers": "b:9092", "instance": "bridge-0", "properties": { "group.protocol": "Consumer" } }"#;
        assert_eq!(keys(json), ["instance"]);
        let json = r#"{ "brokers": "b:9092", "properties": { "group.instance.id": "bridge-0" } }"#;
        assert_eq!(keys(json), ["properties.group.instance.id"]);
    }

    #[test]
    fn properties_are_checked_together() {
        let gssapi = r#"{ "brokers": "b:9092", "properties": { "security.protocol": "sasl_plaintext",
            "sasl.mechanism": "GSSAPI" } }"#;
        assert_eq!(keys(gssapi), ["properties"]);
        let no_file = r#"{ "brokers": "b:9092", "properties": { "security.protocol": "ssl",
            "ssl.ca.location": "/nonexistent/ca.pem" } }"#;
        assert_eq!(keys(no_file), ["properties"]);
        let scram = r#"{ "brokers": "b:9092", "properties": { "security.protocol": "sasl_ssl",
            "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "u" },
            "secrets": { "sasl.password": { "file": "f" } } }"#;
        assert_eq!(keys(scram), [""; 0]);
    }

    #[test]
    fn nothing_that_could_be_secret_is_printed() {
        let json = r#"{ "brokers": "b:9092", "properties": { "sasl.username": "u", "sasl.password": "hush" } }"#;
        let connection = connection(json);
        let cluster = connection.prove(|_| Ok(String::new())).unwrap();
        let config = cluster.client_config(&[], &[]);
        for text in [
            format!("{connection:?}"),
            format!("{cluster:?}"),
            format!("{config:?}"),
        ] {
            assert!(text.contains("sasl.username"), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn a_secret_is_not_repeated_in_a_problem() {
        let json = r#"{ "brokers": "b:9092", "secrets": { "ssl.key.pem": { "env": "P" }, "linger.ms": { "env": "P" }, "compression.codec": { "env": "P" } } }"#;
        let problems = connection(json).prove(|_| Ok("hush".into())).unwrap_err();
        assert!(!problems.is_empty());
        assert!(!format!("{problems:?}").contains("hush"), "{problems:?}");
    }

    #[test]
    fn the_operator_overrides_defaults_but_not_what_is_owned() {
        let json = r#"{ "brokers": "b:9092", "properties": { "linger.ms": 7 } }"#;
        let cluster = connection(json).prove(|_| Ok(String::new())).unwrap();
        let config = cluster.client_config(&[("linger.ms", "0")], &[("acks", "all")]);
        assert_eq!(config.get("linger.ms"), Some("7"));
        assert_eq!(config.get("acks"), Some("all"));
        assert_eq!(config.get("ssl.ca.location"), Some("probe"));
        assert_eq!(config.get("bootstrap.servers"), Some("b:9092"));
        for (name, other) in TWO_NAMES {
            let known = ClientConfig::new().create_native_config().unwrap();
            assert_eq!(known.get(name).unwrap(), known.get(other).unwrap());
            let properties = BTreeMap::from([((*other).to_owned(), "1".to_owned())]);
            let cluster = Cluster {
                properties,
                instance: None,
            };
            let config = cluster.client_config(&[(name, "5")], &[]);
            assert_eq!(
                (config.get(name), config.get(other)),
                (None, Some("1")),
                "{name}"
            );
        }
    }
}
