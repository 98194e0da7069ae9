//! Properties of librdkafka: which ones the bridge owns, and whether librdkafka knows the others.

use std::fs::File;

use rdkafka::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaConfRes;
use serde_json::{Value as Json, json};

use crate::config::{Fault, Reported, Setting, SettingValue, did_you_mean, names_a_secret};

pub(super) struct PropertyValue {
    pub(super) value: String,
    /// Not in a variable.
    pub(super) is_in_file: bool,
}

impl Setting for PropertyValue {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let mut value = found.text("expected text, a number or a truth value")?;
        if found.names_a_file() && value != "probe" {
            let path = found.resolve(&value);
            // Whoever opens a pipe takes it from librdkafka, or waits.
            let opened = path.metadata().and_then(|it| match it.is_file() {
                true => File::open(&path).map(drop),
                false => Ok(()),
            });
            if let Err(error) = opened {
                let remedy = "name a file that the bridge may read";
                return Err(found.report(Fault::new(format!("cannot be read: {error}"), remedy)));
            }
            value = path.display().to_string();
        }
        Ok(Self {
            value,
            is_in_file: found.is_in_file(),
        })
    }

    fn schema() -> Json {
        json!({ "type": ["string", "number", "boolean"] })
    }
}

const SETTLED: &str = "only what is settled is stored and committed, which the bridge does itself";
const DURABLE: &str = "delivered means written by all in-sync replicas, once";
const REPORTED: &str = "without a report nobody knows that an event was delivered";
const OWN_KEY: &str = "it has a key of its own";
const UNUSED: &str = "the sink does not write in transactions";
const WATCHED: &str = "the bridge sees by them whether a client still knows a broker";

const BROKERS: &str = "use `brokers`";
const LEAVE_OUT: &str = "leave it out";
const USE_GROUP: &str = "use `group` in [route.source]";
const USE_INSTANCE: &str = "use `instance` beside `brokers`";
const USE_METRICS: &str = "use the metrics of the bridge";
const USE_INTERVAL: &str = "use `commit_interval` in [route.source]";
const USE_START: &str = "use `start` and `on_offset_lost` in [route.source]";
const USE_TIMEOUT: &str = "use `message_timeout` in the sink";

/// What the bridge sets itself: the values that say the same, why, and what to write instead.
const OWNED: &[(&str, &[&str], &str, &str)] = &[
    ("bootstrap.servers", &[], OWN_KEY, BROKERS),
    ("metadata.broker.list", &[], OWN_KEY, BROKERS),
    ("group.id", &[], OWN_KEY, USE_GROUP),
    ("group.instance.id", &[], OWN_KEY, USE_INSTANCE),
    ("enable.auto.commit", &[], SETTLED, LEAVE_OUT),
    ("auto.commit.enable", &[], SETTLED, LEAVE_OUT),
    ("enable.auto.offset.store", &[], SETTLED, LEAVE_OUT),
    ("offset.store.method", &[], SETTLED, LEAVE_OUT),
    ("auto.commit.interval.ms", &[], SETTLED, USE_INTERVAL),
    ("auto.offset.reset", &[], OWN_KEY, USE_START),
    ("enable.idempotence", &["true"], DURABLE, LEAVE_OUT),
    ("acks", &["all", "-1"], DURABLE, LEAVE_OUT),
    ("request.required.acks", &["all", "-1"], DURABLE, LEAVE_OUT),
    (
        "delivery.report.only.error",
        &["false"],
        REPORTED,
        LEAVE_OUT,
    ),
    ("transactional.id", &[], UNUSED, LEAVE_OUT),
    ("message.timeout.ms", &[], OWN_KEY, USE_TIMEOUT),
    ("delivery.timeout.ms", &[], OWN_KEY, USE_TIMEOUT),
    ("statistics.interval.ms", &[], WATCHED, USE_METRICS),
];

/// Repeats nothing of `value` where it was kept as a secret, or the name suggests one.
pub(super) fn check(name: &str, value: &str, is_secret: bool) -> Result<(), Fault> {
    if let Some((_, allowed, why, remedy)) = OWNED.iter().find(|owned| owned.0 == name) {
        return Fault::unless(allowed.contains(&value), why, remedy);
    }
    if value.is_empty() && (is_secret || names_a_secret(name)) {
        return Err(Fault::new("is empty", "put the secret there"));
    }
    let remedy = "see the range in librdkafka's CONFIGURATION.md";
    match ClientConfig::new().set(name, value).create_native_config() {
        Ok(_) => Ok(()),
        Err(KafkaError::ClientConfig(RDKafkaConfRes::RD_KAFKA_CONF_UNKNOWN, ..)) => {
            let what = "librdkafka has no such property";
            let all = || "see the list in librdkafka's CONFIGURATION.md".to_owned();
            let remedy = did_you_mean(name, COMMON_NAMES.iter().copied(), all);
            Err(Fault::new(what, remedy).unshown())
        }
        Err(KafkaError::ClientConfig(_, text, ..)) if !is_secret && !names_a_secret(name) => {
            Err(Fault::new(text, remedy))
        }
        Err(_) => Err(Fault::new("librdkafka does not take this value", remedy)),
    }
}

/// librdkafka gives no list to look a name up in.
const COMMON_NAMES: &[&str] = &[
    "client.id",
    "compression.type",
    "linger.ms",
    "sasl.mechanism",
    "sasl.password",
    "sasl.username",
    "security.protocol",
    "session.timeout.ms",
    "ssl.ca.location",
    "ssl.certificate.location",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.key.pem",
    "ssl.keystore.location",
    "ssl.keystore.password",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn problem(name: &str, value: &str) -> Option<String> {
        let fault = check(name, value, false).err()?;
        Some(format!("{}; {}", fault.what, fault.remedy))
    }

    #[test]
    fn every_owned_property_is_known_to_librdkafka_and_refused() {
        for (name, allowed, _, remedy) in OWNED {
            let answer = problem(name, "nonsense");
            assert!(answer.is_some_and(|text| text.contains(remedy)), "{name}");
            for value in *allowed {
                assert_eq!(problem(name, value), None, "{name}");
                let known = ClientConfig::new()
                    .set(*name, *value)
                    .create_native_config();
                assert!(known.is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn what_stands_under_an_unknown_name_is_not_shown_and_the_likely_name_is_told() {
        for name in COMMON_NAMES {
            let is_unknown = problem(name, "x").is_some_and(|text| text.contains("no such"));
            assert!(!is_unknown, "{name}");
        }
        let problem = |name| check(name, "hush", false).unwrap_err();
        for (name, remedy) in [
            ("sasl.pasword", "did you mean \"sasl.password\"?"),
            ("ssl.key.passwrod", "did you mean \"ssl.key.password\"?"),
            (
                "no.such.property",
                "see the list in librdkafka's CONFIGURATION.md",
            ),
        ] {
            let problem = problem(name);
            assert_eq!(problem.remedy, remedy, "{name}");
            assert!(!problem.shows_value, "{name}");
            assert!(!format!("{problem:?}").contains("hush"), "{name}");
        }
        assert!(!format!("{:?}", check("ssl_key", "hush", false)).contains("hush"));
    }

    #[test]
    fn lower_acknowledgement_than_all_is_refused() {
        for (name, value) in [
            ("acks", "1"),
            ("acks", "0"),
            ("enable.idempotence", "false"),
        ] {
            assert!(problem(name, value).is_some(), "{name}={value}");
        }
    }

    #[test]
    fn librdkafka_judges_the_other_properties() {
        assert_eq!(problem("socket.keepalive.enable", "true"), None);
        assert_eq!(problem("partition.assignment.strategy", "roundrobin"), None);
        assert!(problem("no.such.property", "1").is_some_and(|text| text.contains("no such")));
        assert!(problem("session.timeout.ms", "0").is_some_and(|text| text.contains("range")));
    }
}
