//! What is kept of each request, for those who judge.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use cloudevents_nl_conformance::json::{self, Document};
use cloudevents_nl_conformance::{Capture, Evidence, Mode, Reading};
use tokio::time::Instant;

use super::scenario::ELSEWHERE;
use crate::intermediary::plain::Plain;
use crate::intermediary::spelling::{canonical, text_in};
use crate::listener::{Received, Refused};
use crate::shown::evidence;

/// What a sender that makes an event anew may change.
const OF_ITS_MAKING: [&str; 5] = ["id", "source", "time", "traceparent", "tracestate"];
/// Of the id, in evidence.
const MOST_ID: usize = 80;
/// What may be under way when an answer is given.
const UNDER_WAY: Duration = Duration::from_millis(500);

/// Everything that came, in order.
#[derive(Debug, Default)]
pub(super) struct Journal {
    pub(super) deliveries: Vec<Delivery>,
    pub(super) handshakes: Vec<Handshake>,
    pub(super) refused: Vec<Refused>,
}

/// A request that does not ask for consent.
#[derive(Debug)]
pub(super) struct Delivery {
    /// Where it stands in the record.
    pub(super) line: u64,
    pub(super) at: Instant,
    /// When it was answered, or would have been.
    pub(super) answered: Instant,
    pub(super) status: Option<u16>,
    /// `Retry-After` of the answer.
    pub(super) until: Option<Instant>,
    /// Of its address.
    pub(super) path: String,
    /// Whether it asked for what only a redirect names.
    pub(super) is_elsewhere: bool,
    pub(super) has_token: bool,
    pub(super) is_secure: bool,
    pub(super) is_batch: bool,
    pub(super) is_json: bool,
    /// Whether a control character in a header of an attribute is not coded; `None` where there is none.
    pub(super) is_control_raw: Option<bool>,
    /// Its trace header, where an event has one that differs.
    pub(super) other_trace: Option<String>,
    pub(super) has_same_trace: bool,
    pub(super) events: Vec<Event>,
}

/// A request that asks for consent.
#[derive(Clone, Debug)]
pub(super) struct Handshake {
    pub(super) line: u64,
    pub(super) at: Instant,
    pub(super) origin: String,
    pub(super) callback: Option<String>,
    /// Requests per minute that were granted with consent.
    pub(super) granted: Option<u32>,
    pub(super) has_consent: bool,
    /// Whether it was answered with consent to another origin.
    pub(super) is_to_another: bool,
    /// The methods of callbacks, and what each was answered.
    pub(super) callbacks: Vec<(&'static str, Option<u16>)>,
}

impl Handshake {
    pub(super) fn evidence(&self, seen: impl Into<String>) -> Evidence {
        evidence(self.line, seen)
    }
}

impl Delivery {
    /// Without its answer.
    pub(super) fn of(received: &Received, capture: &Capture) -> Self {
        let reading = Reading::of(capture);
        let trace = received.header("traceparent");
        let attributes = reading.events.iter().map(|event| event.text("traceparent"));
        let pairs = attributes.filter_map(|attribute| attribute.zip(trace));
        let (same, other): (Vec<_>, Vec<_>) = pairs.partition(|(one, other)| one == other);
        let query = received.head.uri.query().unwrap_or_default();
        Self {
            line: 0,
            at: received.at,
            answered: received.at,
            status: None,
            until: None,
            path: received.head.uri.path().to_owned(),
            is_elsewhere: query.contains(ELSEWHERE),
            has_token: capture.has_token(),
            is_secure: received.url.starts_with("https:"),
            is_batch: reading.mode == Mode::Batched,
            is_json: reading.is_json(),
            is_control_raw: is_control_raw(&reading),
            other_trace: other.first().map(|(one, other)| format!("{one} ≠ {other}")),
            has_same_trace: !same.is_empty(),
            events: Event::all(capture),
        }
    }

    /// Whether its sender had the answer to an earlier one: it came with the same event, or late enough.
    /// Others may have been on their way, or waiting for the connection.
    pub(super) fn knows(&self, earlier: &Self) -> bool {
        self.at > earlier.at && (self.repeats(earlier) || self.at > earlier.answered + UNDER_WAY)
    }

    /// The lane of its event; those of a batch have no order.
    pub(super) fn lane(&self) -> Option<u64> {
        match &self.events[..] {
            [event] => event.lane,
            _ => None,
        }
    }

    pub(super) fn repeats(&self, other: &Self) -> bool {
        self.events.iter().any(|event| other.has(event))
    }

    pub(super) fn has(&self, event: &Event) -> bool {
        self.events.iter().any(|of| of.name == event.name)
    }

    /// Whether it has not been taken, and sending it again may help.
    pub(super) fn may_come_again(&self) -> bool {
        self.status
            .is_none_or(|status| matches!(status, 408 | 425 | 429 | 500..))
    }

    pub(super) fn evidence(&self, seen: impl Into<String>) -> Evidence {
        evidence(self.line, seen)
    }
}

fn is_control_raw(reading: &Reading<'_>) -> Option<bool> {
    let is_coded = |triple: &[u8]| {
        matches!(triple, [b'%', b'0' | b'1', digit] if digit.is_ascii_hexdigit())
            || triple.eq_ignore_ascii_case(b"%7F")
    };
    let values = reading.coded_headers().map(|(_, value)| value);
    let found = values.filter_map(|value| {
        let is_raw = value.iter().any(u8::is_ascii_control);
        (is_raw || value.windows(3).any(is_coded)).then_some(is_raw)
    });
    found.max()
}

/// What is kept of an event: fingerprints, so that it stays small.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Its `source` and `id`.
    pub(super) name: u64,
    pub(super) source: u64,
    /// The `id`, shortened, for people.
    pub(super) id: String,
    /// Everything but what belongs to its making.
    pub(super) rest: u64,
    /// Its `source`, and its `partitionkey` or else its `subject`.
    pub(super) lane: Option<u64>,
    /// Whether its JSON data is a string that holds an object or a list; `None` where it has none.
    pub(super) is_json_in_text: Option<bool>,
}

impl Event {
    fn all(message: &Capture) -> Vec<Self> {
        let events = Plain::of(message).into_iter().map(|event| {
            let (source, _) = event.identity();
            let key = event.attribute("partitionkey");
            let key = key.or_else(|| event.attribute("subject"));
            let rest = event.attributes.iter();
            let rest = rest.filter(|(name, _)| !OF_ITS_MAKING.contains(&&***name));
            let data = event.data.as_ref().map(|data| &*data.bytes);
            let written = data.filter(|_| event.holds_json());
            // However it is spelled.
            let json = written.and_then(canonical);
            let data = data.filter(|_| json.is_none());
            Self {
                name: fingerprint(&event.identity()),
                source: fingerprint(&source),
                id: event.id().chars().take(MOST_ID).collect(),
                rest: fingerprint(&(rest.collect::<Vec<_>>(), json, data)),
                lane: key.map(|key| fingerprint(&(source, key))),
                is_json_in_text: written.map(is_json_in_text),
            }
        });
        events.collect()
    }
}

fn is_json_in_text(data: &[u8]) -> bool {
    let text = text_in(data).unwrap_or_default();
    let held = json::parse(text.as_bytes());
    matches!(held, Ok(Document::Object(_) | Document::Array(_)))
}

fn fingerprint(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use cloudevents_nl_conformance::{Capture, Protocol};

    use super::*;

    fn event(source: &str, id: &str, body: &str) -> Event {
        let mut capture = Capture::new(Protocol::Http)
            .with_header("ce-specversion", "1.0")
            .with_header("ce-id", id)
            .with_header("ce-source", source)
            .with_header("ce-type", "b")
            .with_header("ce-subject", "c")
            .with_header("content-type", "text/plain");
        capture.body = Some(body.into());
        Event::all(&capture).remove(0)
    }

    #[test]
    fn sees_json_in_a_text() {
        for (members, expected) in [
            (r#""data":"{\"a\":1}""#, Some(true)),
            (r#""data":" [1]""#, Some(true)),
            (r#""data":{"a":"{}"}"#, Some(false)),
            (r#""data":"5""#, Some(false)),
            (r#""datacontenttype":"text/plain","data":"{}""#, None),
            (r#""data_base64":"e30=""#, None),
        ] {
            let event = format!(r#"{{"id":"1","source":"urn:a",{members}}}"#);
            let events = Event::all(&Capture::event(event));
            assert_eq!(events[0].is_json_in_text, expected, "{members}");
        }
        assert_eq!(event("urn:a", "1", "{}").is_json_in_text, None);
    }

    #[test]
    fn tells_a_new_id_from_a_new_event() {
        let (one, again) = (event("urn:a", "1", "x"), event("urn:a", "2", "x"));
        let (moved, other) = (event("urn:b", "1", "x"), event("urn:a", "1", "y"));
        assert_eq!((one.rest, one.lane), (again.rest, again.lane));
        assert_eq!(one.source, again.source);
        assert_eq!((one.rest, &one.id), (moved.rest, &moved.id));
        assert_ne!(one.source, moved.source);
        assert_ne!(one.name, moved.name);
        assert_ne!(one.name, again.name);
        assert_eq!(one.name, other.name);
        assert_ne!(one.rest, other.rest);
    }
}
