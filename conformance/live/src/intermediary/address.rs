//! Where an end lies: `kafka://HOST:PORT/TOPIC`, `nats://HOST:PORT/SUBJECT`, `http(s)://…`.

use std::fmt;
use std::str::FromStr;

use cloudevents_nl_conformance::Protocol;

/// The address of an end. What comes after the first slash is a topic, a subject or a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(crate) scheme: &'static str,
    pub(crate) protocol: Protocol,
    /// Host and port; with commas between them where a broker has several.
    pub(crate) hosts: String,
    /// The topic, the subject, or the path with its slash.
    pub(crate) place: String,
    pub(crate) is_secure: bool,
}

const SCHEMES: [(&str, Protocol, bool); 5] = [
    ("kafka", Protocol::Kafka, false),
    ("nats", Protocol::Nats, false),
    ("tls", Protocol::Nats, true),
    ("http", Protocol::Http, false),
    ("https", Protocol::Http, true),
];

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let no_scheme = || "begins with none of kafka://, nats://, tls://, http://, https://";
        let (scheme, rest) = text.split_once("://").ok_or_else(no_scheme)?;
        let known = SCHEMES.into_iter().find(|known| known.0 == scheme);
        let (scheme, protocol, is_secure) = known.ok_or_else(no_scheme)?;
        let (hosts, place) = rest.split_once('/').unwrap_or((rest, ""));
        if hosts.is_empty() {
            return Err("names no host".to_owned());
        }
        if hosts.contains('@') {
            return Err("holds a name or a password, which belong in a file".to_owned());
        }
        let place = match protocol {
            Protocol::Http => format!("/{place}"),
            _ if place.is_empty() => return Err("names no topic or subject".to_owned()),
            _ => place.to_owned(),
        };
        Ok(Self {
            scheme,
            protocol,
            hosts: hosts.to_owned(),
            place,
            is_secure,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.place.starts_with('/') { "" } else { "/" };
        // A token may stand in the query.
        let place = self.place.split('?').next().unwrap_or_default();
        write!(f, "{}://{}{slash}{place}", self.scheme, self.hosts)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn an_address_is_read_and_told() {
        for text in [
            "kafka://a:9092,b:9092/zaken",
            "nats://localhost:4222/zaken.>",
            "https://bridge.example/in/zaken",
            "http://127.0.0.1:8080/",
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        let told: Address = "http://a/b?access_token=hush".parse().unwrap();
        assert_eq!(told.to_string(), "http://a/b");
        for text in [
            "kafka://a:9092",
            "amqp://a/b",
            "zaken",
            "nats://a:b@c/d",
            "http:///a",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
