//! Events read off the wire without the bridge's codec: a second, simple reading of the bindings.

use std::collections::{BTreeMap, BTreeSet};

use base64_simd::STANDARD;
use hyper::HeaderMap;
use serde_json::value::RawValue;

use super::kafka::Record;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Structured,
    Binary,
    Batched,
}

impl Seen {
    pub(crate) fn id(&self) -> &str {
        self.attributes.get("id").map_or("", String::as_str)
    }
}

/// The events of an HTTP request.
pub(crate) fn of_request(headers: &HeaderMap, body: &[u8]) -> Vec<Seen> {
    let text = |name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    let content_type = text("content-type").unwrap_or_default();
    if content_type.starts_with("application/cloudevents-batch+json") {
        let elements: Vec<Box<RawValue>> = serde_json::from_slice(body).unwrap();
        let elements = elements.iter();
        return elements
            .map(|element| of_json(element.get().as_bytes(), Mode::Batched))
            .collect();
    }
    if content_type.starts_with("application/cloudevents+json") {
        return vec![of_json(body, Mode::Structured)];
    }
    let mut attributes = BTreeMap::new();
    for (name, value) in headers {
        if let Some(name) = name.as_str().strip_prefix("ce-") {
            let value = percent_decoded(value.as_bytes());
            assert_eq!(
                attributes.insert(name.to_owned(), value),
                None,
                "{name} is there twice"
            );
        }
    }
    attributes.extend(text("content-type").map(|value| ("datacontenttype".to_owned(), value)));
    vec![Seen {
        mode: Mode::Binary,
        literals: BTreeSet::new(),
        attributes,
        data: (!body.is_empty()).then(|| body.to_vec()),
    }]
}

/// The event of a NATS message, in the dialect of the binding.
pub(crate) fn of_nats(headers: &[(String, String)], payload: &[u8]) -> Seen {
    let is_structured = |(name, value): &(String, String)| {
        name == "Content-Type" && value.starts_with("application/cloudevents+json")
    };
    if headers.iter().any(is_structured) {
        return of_json(payload, Mode::Structured);
    }
    let mut attributes = BTreeMap::new();
    for (name, value) in headers {
        if let Some(attribute) = name.strip_prefix("ce-") {
            let value = percent_decoded(value.as_bytes());
            assert_eq!(
                attributes.insert(attribute.to_owned(), value),
                None,
                "{name}"
            );
        }
    }
    Seen {
        mode: Mode::Binary,
        literals: BTreeSet::new(),
        attributes,
        data: (!payload.is_empty()).then(|| payload.to_vec()),
    }
}

/// The event of a Kafka record.
pub(crate) fn of_record(record: &Record) -> Seen {
    let content_type = record.text("content-type");
    if content_type
        .as_deref()
        .is_some_and(|value| value.starts_with("application/cloudevents"))
    {
        return of_json(record.value.as_deref().unwrap(), Mode::Structured);
    }
    let mut attributes = BTreeMap::new();
    for (name, _) in &record.headers {
        if let (Some(attribute), Some(value)) = (name.strip_prefix("ce_"), record.text(name)) {
            attributes.insert(attribute.to_owned(), value);
        }
    }
    attributes.extend(content_type.map(|value| ("datacontenttype".to_owned(), value)));
    Seen {
        mode: Mode::Binary,
        literals: BTreeSet::new(),
        attributes,
        data: record.value.clone(),
    }
}

/// The ids of the events of records.
pub(crate) fn ids(records: &[Record]) -> Vec<String> {
    let ids = records
        .iter()
        .map(|record| of_record(record).id().to_owned());
    ids.collect()
}

/// A JSON event.
pub(crate) fn of_json(text: &[u8], mode: Mode) -> Seen {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(text).unwrap();
    let mut seen = Seen {
        mode,
        attributes: BTreeMap::new(),
        literals: BTreeSet::new(),
        data: None,
    };
    let is_json = members
        .get("datacontenttype")
        .is_none_or(|value| value.get().contains("json"));
    for (name, value) in members {
        let raw = value.get();
        let string = || serde_json::from_str::<String>(raw).unwrap();
        match name.as_str() {
            "data" if raw.starts_with('"') && !is_json => seen.data = Some(string().into_bytes()),
            "data" => seen.data = Some(raw.as_bytes().to_vec()),
            "data_base64" => seen.data = Some(STANDARD.decode_to_vec(string()).unwrap()),
            _ if raw == "null" => {}
            _ if raw.starts_with('"') => _ = seen.attributes.insert(name, string()),
            _ => {
                seen.literals.insert(name.clone());
                seen.attributes.insert(name, raw.to_owned());
            }
        }
    }
    seen
}

fn percent_decoded(value: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digits = [*high, *low];
                let digits = str::from_utf8(&digits).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}
