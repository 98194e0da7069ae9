//! The abuse protection of the webhook specification (section 4), in the role of the sender: consent is
//! asked for by OPTIONS and given by headers, whatever the status.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use tokio::time::Instant;

use super::rate::{RateLimiter, RequestRate};
use crate::config::{Fault, Reported, Table, Words};

pub(super) const REQUEST_ORIGIN: HeaderName = HeaderName::from_static("webhook-request-origin");
const REQUEST_RATE: HeaderName = HeaderName::from_static("webhook-request-rate");
const ALLOWED_ORIGIN: HeaderName = HeaderName::from_static("webhook-allowed-origin");
const ALLOWED_RATE: HeaderName = HeaderName::from_static("webhook-allowed-rate");

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
    pub(super) origin: Option<HeaderValue>,
    request_rate: Option<u64>,
    renewal: Duration,
    rate: Option<RequestRate>,
    unconsented_rate: Option<RequestRate>,
    processes: usize,
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
        let rate = table
            .key("rate", meaning)
            .optional("none: as many as it takes");
        let meaning = "`rate` while a receiver that is asked `if-supported` has not consented";
        let unconsented_rate = table.key("unconsented_rate", meaning).optional("`rate`");
        let meaning = "how many processes run this route and send to this URL: each keeps its part of the rate";
        let processes = table
            .key::<std::num::NonZeroUsize>("processes", meaning)
            .or("1");
        let (handshake, origin) = (handshake?, origin?);
        if handshake != Handshake::Off && origin.is_none() {
            let remedy = "add origin = \"…\", the name of the system that sends";
            return Err(table.report(&["origin"], "is missing", remedy));
        }
        Ok(Self {
            handshake,
            origin: origin.and_then(|name| HeaderValue::try_from(name).ok()),
            request_rate: request_rate?.map(|rate| rate.get() as u64),
            renewal: renewal?,
            rate: rate?,
            unconsented_rate: unconsented_rate?,
            processes: processes?.get(),
        })
    }

    /// On every delivery.
    pub(super) fn sent_origin(&self) -> Option<HeaderValue> {
        let origin = self.origin.clone();
        origin.filter(|_| self.handshake != Handshake::Off)
    }

    /// On the request that asks.
    pub(super) fn ask(&self, headers: &mut HeaderMap) {
        let Some(origin) = self.sent_origin() else {
            return;
        };
        headers.insert(REQUEST_ORIGIN, origin);
        if let Some(rate) = self.request_rate {
            headers.insert(REQUEST_RATE, rate.into());
        }
    }

    /// The least of what was granted and what the operator wants, of which this process has a part.
    fn part_of(&self, granted: Option<RequestRate>) -> Option<RequestRate> {
        let least = match (granted, self.rate) {
            (Some(granted), own) => Some(granted.least(own)),
            (None, own) => own,
        };
        least.map(|rate| rate.shared_by(self.processes))
    }

    /// One request in a second asks for consent, until it is known what is granted.
    fn rate_at_first(&self) -> Option<RequestRate> {
        match self.handshake {
            Handshake::Off => self.part_of(None),
            _ => self.part_of(RequestRate::per_minute(60)),
        }
    }

    /// What the answer to the request says.
    pub(super) fn consent(&self, answer: &HeaderMap) -> Result<Consent, &'static str> {
        let Some(allowed) = answer.get(ALLOWED_ORIGIN) else {
            return Err("receiver does not consent");
        };
        let is_ours = |origin: &HeaderValue| {
            let origin = origin.as_bytes();
            allowed.as_bytes().eq_ignore_ascii_case(origin) || allowed.as_bytes() == b"*"
        };
        if !self.origin.as_ref().is_some_and(is_ours) {
            return Err("receiver consents to another origin");
        }
        let rate = match answer.get(ALLOWED_RATE).map(HeaderValue::to_str) {
            // It must say it where a rate was asked for: then that one is meant.
            None => self.request_rate.and_then(RequestRate::per_minute),
            Some(Ok("*")) => None,
            Some(text) => {
                let rate = text.ok().and_then(|text| text.parse().ok());
                let rate = rate.and_then(RequestRate::per_minute);
                Some(rate.ok_or("receiver allows a rate that is none")?)
            }
        };
        Ok(Consent { rate })
    }
}

/// Letters, digits, hyphens and dots: no scheme, port or path (section 4.1.2).
fn is_dns_name(name: &str) -> Result<(), Fault> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_label = |label: &str| {
        let is_inside = !label.starts_with('-') && !label.ends_with('-');
        (1..=63).contains(&label.len()) && label.bytes().all(is_letter) && is_inside
    };
    let is_name = name.len() <= 253 && name.split('.').all(is_label);
    let remedy = "write a name such as events.example.nl, without scheme, port and path";
    Fault::unless(is_name, "is not a DNS name", remedy)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Consent {
    /// `None` allows any.
    pub(super) rate: Option<RequestRate>,
}

/// One URL, for all routes of the process with the same settings.
pub(super) struct DeliveryTarget {
    settings: ContractSettings,
    pub(super) limiter: RateLimiter,
    /// Held while it is asked.
    asking: tokio::sync::Mutex<Answered>,
}

#[derive(Default)]
struct Answered {
    /// `None` where it is to be asked.
    at: Option<Instant>,
    /// What the log says of it.
    last: Option<Result<Option<RequestRate>, &'static str>>,
}

impl DeliveryTarget {
    pub(super) fn shared(url: &Uri, settings: &ContractSettings) -> Arc<Self> {
        static TARGETS: LazyLock<Mutex<Targets>> = LazyLock::new(Mutex::default);
        type Targets = HashMap<String, Vec<Weak<DeliveryTarget>>>;
        let mut targets = TARGETS.lock().unwrap_or_else(PoisonError::into_inner);
        targets.retain(|_, targets| {
            targets.retain(|target| target.strong_count() > 0);
            !targets.is_empty()
        });
        let of_url = targets.entry(url.to_string()).or_default();
        let known = of_url.iter().filter_map(Weak::upgrade);
        if let Some(target) = known
            .into_iter()
            .find(|target| target.settings == *settings)
        {
            return target;
        }
        let target = Arc::new(Self {
            limiter: RateLimiter::new(settings.rate_at_first()),
            settings: settings.clone(),
            asking: tokio::sync::Mutex::default(),
        });
        of_url.push(Arc::downgrade(&target));
        target
    }

    /// Asks where nothing is known, or what is known is old.
    ///
    /// # Errors
    ///
    /// Nothing may be sent, for this cause.
    pub(super) async fn agree(
        &self,
        ask: impl Future<Output = Result<HeaderMap, &'static str>>,
    ) -> Result<(), &'static str> {
        if self.settings.handshake == Handshake::Off {
            return Ok(());
        }
        let mut answered = self.asking.lock().await;
        let renewal = self.settings.renewal;
        if answered.at.is_some_and(|at| at.elapsed() < renewal) {
            return Ok(());
        }
        let consent = ask.await.and_then(|answer| self.settings.consent(&answer));
        let (rate, said) = match consent {
            Ok(Consent { rate }) => (self.settings.part_of(rate), None),
            Err(cause) if self.settings.handshake == Handshake::IfSupported => {
                let rate = self.settings.unconsented_rate;
                (self.settings.part_of(rate), Some(cause))
            }
            Err(cause) => return Err(cause),
        };
        self.limiter.set(rate);
        answered.at = Some(Instant::now());
        let now = Some(said.map_or(Ok(rate), Err));
        if std::mem::replace(&mut answered.last, now) == now {
            return Ok(());
        }
        let rate = rate.map_or_else(|| "any".to_owned(), |rate| rate.to_string());
        match said {
            None => tracing::info!(rate, "receiver consents to be sent to"),
            Some(cause) => {
                tracing::warn!(
                    cause,
                    rate,
                    "receiver was asked for consent and did not give it, it is sent to all the same"
                );
            }
        }
        Ok(())
    }

    /// It answered as one does that has not consented, or no more.
    pub(super) fn doubt(&self) {
        if let Ok(mut answered) = self.asking.try_lock() {
            answered.at = None;
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
                Ok(RequestRate::per_minute(60)),
            ),
            (Some("*"), Some("*"), Ok(None)),
            (Some("*"), None, Ok(RequestRate::per_minute(120))),
            (None, Some("*"), Err("receiver does not consent")),
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
            let consent = settings.consent(&answer).map(|consent| consent.rate);
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
        let json = r#"{"rate": "fast", "request_rate": 0, "processes": 0}"#;
        assert_eq!(
            faults(json, ContractSettings::read),
            ["processes", "rate", "request_rate"]
        );
    }
}
