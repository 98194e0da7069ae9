//! `[kafka.NAME]`: how to reach a cluster, proven without reaching it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv6Addr;
use std::path::Path;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::BaseConsumer;
use rdkafka::producer::BaseProducer;

use super::client::error_text;
use super::property::{self, PropertyValue};
use super::settings::is_name;
use super::token;
use super::watchdog;
use crate::config::{Fault, Reported, SecretPlace, Table, names_a_secret, read_secret};
use crate::credentials::{BearerToken, NoToken};

pub(super) type Properties = BTreeMap<String, String>;

#[derive(Clone)]
pub(super) struct KafkaCluster {
    /// Of its table: `kafka.main`.
    pub(super) name: String,
    properties: Properties,
    instance: Option<String>,
    pub(super) token: Option<BearerToken>,
}

impl fmt::Debug for KafkaCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.properties.keys()).finish()
    }
}

impl KafkaCluster {
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "brokers to ask first, as `host:port` with commas between them";
        let brokers = table.key("brokers", meaning).must(are_brokers).required();
        let meaning = "what tells this process from every other one that runs and reads with the \
                       same groups, see below: 1 to 100 letters, digits, dots, underscores and \
                       hyphens, with the topic and a dot 249 at most";
        let instance = table.key("instance", meaning).must(is_instance);
        let instance = instance.optional("none");
        let token = token::read(table);
        let meaning = "table of librdkafka properties, for example `\"security.protocol\" = \
                       \"sasl_ssl\"`; each is proven against librdkafka. Those that carry the \
                       guarantee are refused, and the refusal names the setting to use instead. \
                       `session.timeout.ms` is 6 s unless given: so long a killed process keeps \
                       its partitions; with `\"group.protocol\" = \"consumer\"` the broker sets it";
        let properties = table
            .key::<BTreeMap<String, PropertyValue>>("properties", meaning)
            .optional("`ssl.ca.location = \"probe\"`: the certificates of the system");
        let meaning = "table of properties whose value is kept elsewhere, for example \
                       `\"sasl.password\" = { file = \"/run/secrets/kafka\" }` or `{ env = \
                       \"KAFKA_PASSWORD\" }`; read at start, and a file when it changes, \
                       without the line break at its end";
        let secrets = table.key::<BTreeMap<String, SecretPlace>>("secrets", meaning);
        let secrets = secrets.optional("none");
        let properties = properties?.unwrap_or_default();
        let secrets = secrets?.unwrap_or_default();
        let mut cluster = Self {
            name: table.name(),
            properties: proven(table, properties, &secrets),
            instance: instance?,
            token: token?,
        };
        let (token, all) = (cluster.token.as_ref(), &mut cluster.properties);
        let first = brokers.as_deref().unwrap_or_default();
        token::imply(table, token, first, &secrets, all);
        if cluster.instance.is_some() && cluster.speaks_consumer_protocol() {
            // A broker tells who took a member's place only in the classic protocol.
            let what = "serves nothing with group.protocol = \"consumer\": a process that was killed \
                        would keep its successor out";
            table.report(&["instance"], what, "leave one of the two out");
        }
        table.sound()?;
        if let Some(fault) = check_together(&cluster.properties) {
            return Err(table.fault(&["properties"], fault));
        }
        let properties = &mut cluster.properties;
        properties.insert("bootstrap.servers".to_owned(), brokers?);
        Ok(cluster)
    }

    /// `defaults`, then what the operator wrote, then what the bridge owns.
    pub(super) fn client_config(
        &self,
        defaults: &[(&str, &str)],
        owned: &[(&str, &str)],
    ) -> ClientConfig {
        let mut config = ClientConfig::new();
        for (name, value) in SHARED_DEFAULTS.iter().chain(defaults) {
            config.set(*name, *value);
        }
        // Which of two names for one property librdkafka sees last is left to chance.
        for (name, other) in TWO_NAMES {
            if self.properties.contains_key(*other) {
                config.remove(name);
            }
        }
        config.extend(self.properties.clone());
        for (name, value) in [&watchdog::STATISTICS].into_iter().chain(owned) {
            config.set(*name, *value);
        }
        config.set_log_level(RDKafkaLogLevel::Info);
        config
    }

    /// As [`Self::client_config`], of a client that reads.
    pub(super) fn consumer_config(
        &self,
        defaults: &[(&str, &str)],
        owned: &[(&str, &str)],
    ) -> ClientConfig {
        let defaults = [CONSUMER_DEFAULTS, defaults].concat();
        self.client_config(&defaults, &[CONSUMER_OWNED, owned].concat())
    }

    pub(super) fn brokers(&self) -> &str {
        &self.properties["bootstrap.servers"]
    }

    /// Of a group. A process may read several topics with one group, so the topic is a part of it.
    pub(super) fn member(&self, topic: &str) -> Option<String> {
        Some(format!("{}.{topic}", self.instance.as_deref()?))
    }

    /// Until a client is given a token at once, where one proves who we are.
    pub(super) async fn ready(&self) -> Result<(), NoToken> {
        match &self.token {
            Some(token) => token.ready().await.map(drop),
            None => Ok(()),
        }
    }

    pub(super) fn speaks_consumer_protocol(&self) -> bool {
        let protocol = self.properties.get("group.protocol");
        protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("consumer"))
    }
}

fn proven(
    table: &Table<'_>,
    properties: BTreeMap<String, PropertyValue>,
    secrets: &BTreeMap<String, SecretPlace>,
) -> Properties {
    let mut all = Properties::from([("ssl.ca.location".to_owned(), "probe".to_owned())]);
    for (name, PropertyValue { value, is_in_file }) in properties {
        let keys = ["properties", &name];
        if is_in_file && names_a_secret(&name) && !name.ends_with(".location") {
            let remedy = format!("write it as secrets = {{ {name:?} = {{ file = \"…\" }} }}");
            table.warn(&keys, "a secret stands in the settings file", remedy);
        }
        if secrets.contains_key(&name) {
            table.report(&keys, "stands under `secrets` too", "keep one of the two");
        }
        if let Err(fault) = property::check(&name, &value, false) {
            table.fault(&keys, fault);
        }
        if name.ends_with(".location") {
            table.depends_on(Path::new(&value));
        }
        all.insert(name, value);
    }
    for (name, place) in secrets {
        let read = read_secret(place).map_err(|error| {
            let what = format!("cannot be read: {error}");
            Fault::new(what, "make the file readable or set the variable")
        });
        match read.and_then(|value| property::check(name, &value, true).map(|()| value)) {
            Ok(value) => {
                all.insert(name.clone(), value);
            }
            Err(fault) => {
                table.fault(&["secrets", name, place.kind()], fault);
            }
        }
    }
    all
}

fn are_brokers(brokers: &str) -> Result<(), Fault> {
    let mut brokers = brokers.split(',');
    brokers.try_for_each(|broker| is_broker(broker.trim()))
}

fn is_broker(broker: &str) -> Result<(), Fault> {
    const PROTOCOLS: [&str; 4] = ["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"];
    let (protocol, address) = broker.split_once("://").unwrap_or(("plaintext", broker));
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    let bare = host.strip_prefix('[');
    let bare = bare.and_then(|host| host.strip_suffix(']'));
    let is_host = match bare {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.chars().all(is_letter),
    };
    let is_protocol = PROTOCOLS.contains(&protocol.to_ascii_lowercase().as_str());
    let remedy = if !is_protocol {
        "leave out what stands before ://; the property `security.protocol` says it"
    } else if broker.contains(';') {
        "put commas between the brokers"
    } else if is_host && !port.is_empty() {
        "write a number from 1 to 65535 behind the colon"
    } else {
        "write for example \"kafka-1:9092,kafka-2:9092\""
    };
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_broker = is_protocol && is_host && is_port;
    Fault::unless(is_broker, "is not a list of host:port", remedy)
}

fn is_instance(instance: &str) -> Result<(), Fault> {
    let is_name = is_name(instance, INSTANCE_MAX);
    let remedy = "use 1 to 100 letters, digits, dots, underscores and hyphens";
    Fault::unless(is_name, "is not the name of a process", remedy)
}

/// What librdkafka says to all properties together. Without brokers a client connects nowhere.
fn check_together(properties: &Properties) -> Option<Fault> {
    let config = ClientConfig::from_iter(properties.clone());
    let consumer = config.create::<BaseConsumer>().err();
    let error = consumer.or_else(|| config.create::<BaseProducer>().err())?;
    let remedy = "change the properties that do not go together";
    Some(Fault::new(error_text(&error), remedy))
}

/// The topic gets the rest of a member's name.
const INSTANCE_MAX: usize = 100;

/// librdkafka's default waits up to ten seconds for a broker that is back, and messages time out.
const SHARED_DEFAULTS: &[(&str, &str)] = &[
    ("client.id", "cenl-bridge"),
    ("reconnect.backoff.max.ms", "500"),
    ("socket.keepalive.enable", "true"),
];

const CONSUMER_DEFAULTS: &[(&str, &str)] = &[
    ("check.crcs", "true"),
    ("isolation.level", "read_committed"),
    ("fetch.wait.max.ms", "100"),
    // The default of a second stops a partition whose queue was full for that long.
    ("fetch.queue.backoff.ms", "5"),
];

/// Only what is settled is stored and committed.
const CONSUMER_OWNED: &[(&str, &str)] = &[
    ("enable.auto.commit", "false"),
    ("enable.auto.offset.store", "false"),
];

/// The other name under which an operator may write a property that has a default here.
const TWO_NAMES: &[(&str, &str)] = &[
    ("compression.type", "compression.codec"),
    ("linger.ms", "queue.buffering.max.ms"),
    ("max.in.flight.requests.per.connection", "max.in.flight"),
];

#[cfg(test)]
impl KafkaCluster {
    /// A cluster with these properties.
    pub(super) fn new(brokers: &str, properties: &[(&str, &str)]) -> Self {
        let properties: BTreeMap<_, _> = properties.iter().copied().collect();
        let json = serde_json::json!({ "brokers": brokers, "properties": properties });
        crate::config::tests::read(&json.to_string(), Self::read).expect("properties")
    }
}

#[cfg(test)]
mod tests;
