//! Events as they were on the wire, in plain terms. The reading is that of the checker, which has none of the
//! codec's code, so that what the bridge wrote is not read by what wrote it.

use std::collections::{BTreeMap, BTreeSet};

use base64_simd::STANDARD;
use cloudevents_nl_conformance::{Capture, Event, Header, Protocol, Reading, Value};
use hyper::HeaderMap;

use super::kafka::Record;

pub(crate) use cloudevents_nl_conformance::Mode;

/// An event as it was found on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) mode: Mode,
    /// Text as it reads; a number or a Boolean of a JSON event as it is spelled.
    pub(crate) attributes: BTreeMap<String, String>,
    /// Names of those that are no text in a JSON event.
    pub(crate) literals: BTreeSet<String>,
    /// JSON text exactly as spelled, else the bytes of the text, or the bytes.
    pub(crate) data: Option<Vec<u8>>,
}

impl Seen {
    pub(crate) fn id(&self) -> &str {
        self.attributes.get("id").map_or("", String::as_str)
    }
}

/// The events of an HTTP request.
pub(crate) fn of_request(headers: &HeaderMap, body: &[u8]) -> Vec<Seen> {
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), Some(value.as_bytes())));
    events(&capture(Protocol::Http, headers, Some(body)))
}

/// The event of a NATS message, in the dialect of the binding.
pub(crate) fn of_nats(headers: &[(String, String)], payload: &[u8]) -> Seen {
    let pairs = headers.iter();
    let pairs = pairs.map(|(name, value)| (&**name, Some(value.as_bytes())));
    let seen = event(&capture(Protocol::Nats, pairs, Some(payload)));
    // What older senders leave out or put elsewhere the checker reads too, and nobody may write.
    let begins = |name: &str, begin: &str| {
        let mut headers = headers.iter();
        headers.any(|(it, value)| it == name && value.starts_with(begin))
    };
    let is_announced = match seen.mode {
        Mode::Structured => begins("Content-Type", "application/cloudevents+json"),
        Mode::Binary => {
            !seen.attributes.contains_key("datacontenttype") || begins("ce-datacontenttype", "")
        }
        _ => true,
    };
    assert!(is_announced, "{headers:?}");
    seen
}

/// The event of a Kafka record.
pub(crate) fn of_record(record: &Record) -> Seen {
    let headers = record.headers.iter();
    let headers = headers.map(|(name, value)| (&**name, value.as_deref()));
    event(&capture(Protocol::Kafka, headers, record.value.as_deref()))
}

/// The ids of the events of records.
pub(crate) fn ids(records: &[Record]) -> Vec<String> {
    let ids = records
        .iter()
        .map(|record| of_record(record).id().to_owned());
    ids.collect()
}

/// A JSON event.
pub(crate) fn of_json(text: &[u8]) -> Seen {
    event(&Capture::event(text))
}

fn capture<'h>(
    protocol: Protocol,
    headers: impl Iterator<Item = (&'h str, Option<&'h [u8]>)>,
    body: Option<&[u8]>,
) -> Capture {
    let headers = headers.map(|(name, value)| Header {
        name: name.to_owned(),
        value: value.map(<[u8]>::to_vec),
    });
    let mut capture = Capture::new(protocol);
    capture.headers = headers.collect();
    capture.body = body.map(<[u8]>::to_vec);
    capture
}

/// The event of a message that is no batch; one without anything where there is none.
fn event(message: &Capture) -> Seen {
    events(message).pop().unwrap_or_else(|| Seen {
        mode: Mode::NotAnEvent,
        attributes: BTreeMap::new(),
        literals: BTreeSet::new(),
        data: None,
    })
}

/// The events of a message.
///
/// # Panics
/// When its body is not that of its mode, or it says something twice.
pub(crate) fn events(message: &Capture) -> Vec<Seen> {
    let reading = Reading::of(message);
    assert!(reading.unreadable.is_empty(), "{:?}", reading.unreadable);
    assert_eq!(reading.repeated_headers().next(), None, "it is there twice");
    // Quotes around a value, which older senders write, are gone in the reading.
    let mut coded = reading.coded_headers();
    let quoted = coded.find(|(_, value)| value.contains(&b'"'));
    assert_eq!(quoted, None, "a value is not encoded");
    let events = reading.events.iter();
    events.map(|event| seen(event, reading.mode)).collect()
}

fn seen(event: &Event<'_>, mode: Mode) -> Seen {
    let mut seen = Seen {
        mode,
        attributes: BTreeMap::new(),
        literals: BTreeSet::new(),
        data: None,
    };
    for attribute in event.set() {
        let name = attribute.name.to_string();
        let text = match &attribute.value {
            Value::Text(text) => text.to_string(),
            Value::Number(raw) | Value::Nested(raw) => (*raw).to_owned(),
            Value::Boolean(is_true) => is_true.to_string(),
            Value::Unset | Value::Broken(_) => panic!("{name} is no text"),
        };
        if !matches!(attribute.value, Value::Text(_)) {
            seen.literals.insert(name.clone());
        }
        let before = seen.attributes.insert(name, text);
        assert_eq!(before, None, "an attribute is there twice");
    }
    let content_type = seen.attributes.get("datacontenttype");
    let is_json = content_type.is_none_or(|value| value.contains("json"));
    let member = event.data_base64.or(event.data);
    let text = member.and_then(|value| value.text());
    seen.data = match (event.data_base64, event.data, text) {
        (Some(_), _, Some(text)) => Some(STANDARD.decode_to_vec(text.text.as_bytes()).unwrap()),
        (None, Some(_), Some(text)) if !is_json => Some(text.text.as_bytes().to_vec()),
        (_, Some(value), _) => Some(value.raw.as_bytes().to_vec()),
        _ => event.body.map(<[u8]>::to_vec),
    };
    seen
}
