//! The abuse protection of the webhook specification (section 4), in the role of the sender: consent is
//! asked for by OPTIONS and given by headers, whatever the status.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;
use std::time::Duration;

use http::{HeaderMap, HeaderValue};

use super::callback::CallbackSettings;
use super::rate::RequestRate;
use crate::config::{Fault, Reported, Table, Words};
use crate::transport::http::{
    ALLOWED_ORIGIN, ALLOWED_RATE, REQUEST_CALLBACK, REQUEST_ORIGIN, REQUEST_RATE,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Handshake {
    Required,
    IfSupported,
    #[default]
    Off,
}

impl Words for Handshake {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("required", Self::Required),
        ("if-supported", Self::IfSupported),
        ("off", Self::Off),
    ];
}

/// What is asked of a target, and kept towards it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ContractSettings {
    pub(super) handshake: Handshake,
    /// On every delivery, where consent is asked for.
    pub(super) origin: Option<HeaderValue>,
    request_rate: Option<u64>,
    pub(super) renewal: Duration,
    rate: Option<RequestRate>,
    pub(super) unconsented_rate: Option<RequestRate>,
    /// Where a receiver may consent later.
    pub(super) callback: Option<CallbackSettings>,
}

impl ContractSettings {
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "whether the receiver is asked for its consent, by OPTIONS, before the first event: `required`, \
                       `if-supported` or `off`, see below";
        let handshake = table.key("handshake", meaning).or("off");
        let meaning = "DNS name of the system that sends, such as `events.example.nl`: `WebHook-Request-Origin`";
        let origin = table.key::<String>("origin", meaning).must(is_dns_name);
        let origin = origin.optional("none: needed with `handshake`");
        let meaning = "requests per minute to ask for: `WebHook-Request-Rate`";
        let request_rate = table.key::<std::num::NonZeroUsize>("request_rate", meaning);
        let request_rate = request_rate.optional("none: the receiver says what it allows");
        let meaning = "after which time consent is asked for anew";
        let renewal = table.wait("consent_renewal", meaning).or("24h");
        let meaning = "most requests to this URL, such as `60/min`, `5/s` or `100/h`; the receiver may allow less";
        let rate = table.key("rate", meaning);
        let rate = rate.optional("none: as many as it takes");
        let meaning = "`rate` while a receiver that is asked `if-supported` has not consented";
        let unconsented_rate = table.key("unconsented_rate", meaning).optional("`rate`");
        let meaning = "name of a `[consent.NAME]`: where the receiver may call back to consent later, see below";
        let callback = table.reference("consent", meaning, CallbackSettings::read);
        let (handshake, origin) = (handshake?, origin?);
        let asks = handshake != Handshake::Off;
        if asks && origin.is_none() {
            let remedy = "add origin = \"…\", the name of the system that sends";
            return Err(table.report(&["origin"], "is missing", remedy));
        }
        Ok(Self {
            handshake,
            origin: origin.and_then(|name| name.try_into().ok().filter(|_| asks)),
            request_rate: request_rate?.map(|rate| rate.get() as u64),
            renewal: renewal?,
            rate: rate?,
            unconsented_rate: unconsented_rate?,
            callback: callback?,
        })
    }

    /// On the request that asks.
    pub(super) fn ask(&self, headers: &mut HeaderMap, callback: Option<&HeaderValue>) {
        let Some(origin) = &self.origin else {
            return;
        };
        headers.insert(REQUEST_ORIGIN, origin.clone());
        if let Some(callback) = callback {
            headers.insert(REQUEST_CALLBACK, callback.clone());
        }
        if let Some(rate) = self.request_rate {
            headers.insert(REQUEST_RATE, rate.into());
        }
    }

    /// The least of what was granted and what the operator wants, for all processes together.
    pub(super) fn least_of(&self, granted: Option<RequestRate>) -> Option<RequestRate> {
        let rates = [granted, self.rate].into_iter().flatten();
        rates.min_by(|one, other| one.0.total_cmp(&other.0))
    }

    /// One request in a second asks for consent, until it is known what is granted.
    pub(super) fn rate_at_first(&self) -> Option<RequestRate> {
        match self.handshake {
            Handshake::Off => self.least_of(None),
            _ => self.least_of(RequestRate::per_minute(60)),
        }
    }

    /// What the answer to the request says; `None` where it does not say.
    pub(super) fn consent(&self, answer: &HeaderMap) -> Result<Option<Consent>, &'static str> {
        let Some(allowed) = answer.get(ALLOWED_ORIGIN) else {
            return Ok(None);
        };
        let is_ours = |origin: &HeaderValue| {
            allowed == "*" || origin.as_bytes().eq_ignore_ascii_case(allowed.as_bytes())
        };
        if !self.origin.as_ref().is_some_and(is_ours) {
            return Err("receiver consents to another origin");
        }
        self.granted(answer).map(Some)
    }

    /// Where a rate was asked for and none is named, that one is meant.
    pub(super) fn granted(&self, headers: &HeaderMap) -> Result<Consent, &'static str> {
        let Some(rate) = headers.get(ALLOWED_RATE) else {
            let rate = self.request_rate.and_then(RequestRate::per_minute);
            return Ok(Consent { rate });
        };
        let consent = rate.to_str().ok().and_then(|text| text.parse().ok());
        consent.ok_or("receiver allows a rate that is none")
    }
}

/// Letters, digits, hyphens and dots: no scheme, port or path (section 4.1.2).
fn is_dns_name(name: &str) -> Result<(), Fault> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_label = |label: &str| {
        let is_inside = !label.starts_with('-') && !label.ends_with('-');
        (1..=63).contains(&label.len()) && label.bytes().all(is_letter) && is_inside
    };
    let is_address = name.parse::<Ipv4Addr>().is_ok();
    let is_name = name.len() <= 253 && name.split('.').all(is_label) && !is_address;
    let remedy = "write a name such as events.example.nl, without scheme, port and path";
    Fault::unless(is_name, "is not a DNS name", remedy)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Consent {
    /// `None` allows any.
    pub(super) rate: Option<RequestRate>,
}

/// As in `WebHook-Allowed-Rate`.
impl FromStr for Consent {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let rate = match text {
            "*" => None,
            number => Some(RequestRate::per_minute(number.parse().map_err(|_| ())?).ok_or(())?),
        };
        Ok(Self { rate })
    }
}

impl fmt::Display for Consent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rate {
            None => f.write_str("*"),
            Some(RequestRate(in_a_minute)) => write!(f, "{in_a_minute}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::config::tests::{faults, read};

    const ASKED: &str =
        r#"{"handshake": "required", "origin": "Bron.example.nl", "request_rate": 120}"#;

    #[test]
    fn consent_is_the_headers_and_never_the_status() {
        let settings = read(ASKED, ContractSettings::read).unwrap();
        for (origin, rate, expected) in [
            (
                Some("bron.example.nl"),
                Some("60"),
                Ok(Some(RequestRate::per_minute(60))),
            ),
            (Some("*"), Some("*"), Ok(Some(None))),
            (Some("*"), None, Ok(Some(RequestRate::per_minute(120)))),
            (None, Some("*"), Ok(None)),
            (
                Some("*.example.nl"),
                Some("*"),
                Err("receiver consents to another origin"),
            ),
            (
                Some("bron.example.nl, ander.nl"),
                Some("*"),
                Err("receiver consents to another origin"),
            ),
            (
                Some("*"),
                Some("0"),
                Err("receiver allows a rate that is none"),
            ),
            (
                Some("*"),
                Some("-1"),
                Err("receiver allows a rate that is none"),
            ),
            (
                Some("*"),
                Some("veel"),
                Err("receiver allows a rate that is none"),
            ),
        ] {
            let mut answer = HeaderMap::new();
            for (name, value) in [(ALLOWED_ORIGIN, origin), (ALLOWED_RATE, rate)] {
                if let Some(value) = value {
                    answer.insert(name, HeaderValue::from_static(value));
                }
            }
            let consent = settings
                .consent(&answer)
                .map(|consent| consent.map(|consent| consent.rate));
            assert_eq!(consent, expected, "{origin:?} {rate:?}");
        }
    }

    #[test]
    fn an_origin_is_a_dns_name_and_is_needed_to_ask() {
        for name in ["events.example.nl", "localhost", "1.nl", "a-b.c"] {
            let json = format!(r#"{{"origin": "{name}"}}"#);
            assert!(read(&json, ContractSettings::read).is_ok(), "{name}");
        }
        for name in [
            "",
            "https://a.nl",
            "a.nl:443",
            "a.nl/b",
            "a..nl",
            "-a.nl",
            "a_b.nl",
            "a.nl.",
        ] {
            let json = format!(r#"{{"origin": "{name}"}}"#);
            assert_eq!(faults(&json, ContractSettings::read), ["origin"], "{name}");
        }
        let json = r#"{"handshake": "if-supported"}"#;
        assert_eq!(faults(json, ContractSettings::read), ["origin"]);
        let json = r#"{"rate": "fast", "request_rate": 0}"#;
        assert_eq!(
            faults(json, ContractSettings::read),
            ["rate", "request_rate"]
        );
    }
}
