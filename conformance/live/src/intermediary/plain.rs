//! An event in plain terms, whatever carried it, so that what went in and what came out can be compared.

use std::collections::{BTreeMap, BTreeSet};

use base64_simd::STANDARD;
use cloudevents_nl_codec::is_json;
use cloudevents_nl_conformance::{Capture, Event, Mode, Protocol, Reading, Value};

/// An event as a message held it.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) protocol: Protocol,
    pub(crate) mode: Mode,
    /// Those that are set, in their canonical text.
    pub(crate) attributes: BTreeMap<String, String>,
    /// Those that are a number or a boolean in the JSON format.
    natives: BTreeSet<String>,
    pub(crate) data: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) held: Held,
    /// What the body would be in binary mode.
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// The member `data`, as a JSON value.
    Json,
    /// The member `data`, as a text under a content type that is not JSON.
    Text,
    Base64,
    Body,
}

impl Plain {
    /// The events of a message, none where it has none or a content coding hides their data.
    pub(crate) fn of(message: &Capture) -> Vec<Self> {
        let reading = Reading::of(message);
        let events = reading.events.iter().filter(|event| !event.is_coded);
        let events = events.map(|event| Self::of_event(event, reading.mode));
        events.collect()
    }

    /// One without anything, for a message that holds no event.
    pub(crate) fn nothing(protocol: Protocol) -> Self {
        Self {
            protocol,
            mode: Mode::Unsupported,
            attributes: BTreeMap::new(),
            natives: BTreeSet::new(),
            data: None,
        }
    }

    fn of_event(event: &Event<'_>, mode: Mode) -> Self {
        let attributes = event.set().map(|attribute| {
            let text = match &attribute.value {
                Value::Unset => String::new(),
                Value::Text(text) | Value::Broken(text) => text.to_string(),
                Value::Number(raw) | Value::Nested(raw) => (*raw).to_owned(),
                Value::Boolean(is) => is.to_string(),
            };
            (attribute.name.to_string(), text)
        });
        let natives = event.set().filter(|attribute| {
            let value = &attribute.value;
            matches!(value, Value::Number(_) | Value::Boolean(_))
        });
        let mut plain = Self {
            mode,
            attributes: attributes.collect(),
            natives: natives.map(|native| native.name.to_string()).collect(),
            ..Self::nothing(event.protocol)
        };
        plain.data = plain.data_of(event);
        plain
    }

    fn data_of(&self, event: &Event<'_>) -> Option<Data> {
        let data = |held, bytes: &[u8]| {
            Some(Data {
                held,
                bytes: bytes.to_vec(),
            })
        };
        if let Some(text) = event.data_base64.and_then(|value| value.text()) {
            // What is no Base64 stays what it is; the checker says so.
            let bytes = STANDARD.decode_to_vec(text.text.as_bytes());
            let bytes = bytes.unwrap_or_else(|_| text.text.as_bytes().to_vec());
            return data(Held::Base64, &bytes);
        }
        if let Some(value) = event.data {
            return match value.text() {
                Some(text) if !self.has_json_data() => data(Held::Text, text.text.as_bytes()),
                _ => data(Held::Json, value.raw.as_bytes()),
            };
        }
        match event.body? {
            // HTTP and NATS cannot tell none from empty.
            [] if self.protocol != Protocol::Kafka => None,
            body => data(Held::Body, body),
        }
    }

    /// Whether its data is JSON: by content type, or by having none.
    fn has_json_data(&self) -> bool {
        self.attribute("datacontenttype").is_none_or(is_json)
    }

    /// Whether its data was written as JSON, rather than as text or bytes.
    pub(crate) fn holds_json(&self) -> bool {
        match self.data.as_ref().map(|data| data.held) {
            Some(Held::Json) => self.has_json_data(),
            Some(Held::Body) => self.attribute("datacontenttype").is_some_and(is_json),
            _ => false,
        }
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Whether an attribute is a number or a boolean in the JSON format.
    pub(crate) fn is_native(&self, name: &str) -> bool {
        self.natives.contains(name)
    }

    /// Without the quotes of who writes the values of headers as JSON.
    pub(crate) fn id(&self) -> &str {
        self.attribute("id").unwrap_or_default().trim_matches('"')
    }

    /// What an event is known by: `source` and `id`.
    pub(crate) fn identity(&self) -> (&str, &str) {
        (self.attribute("source").unwrap_or_default(), self.id())
    }

    /// What tells it from most others, beside its `id`.
    pub(crate) fn content(&self) -> (&str, &str, &str, &[u8]) {
        let text = |name| self.attribute(name).unwrap_or_default();
        let data = self.data.as_ref().map(|data| &*data.bytes);
        let (source, key) = (text("source"), text("partitionkey"));
        (source, text("type"), key, data.unwrap_or_default())
    }

    /// Whether it can be told from empty data that there is none.
    pub(crate) fn tells_none(&self) -> bool {
        self.mode != Mode::Binary || self.protocol == Protocol::Kafka
    }

    /// Whether it stood in the JSON format.
    pub(crate) fn is_in_json(&self) -> bool {
        matches!(self.mode, Mode::Structured | Mode::Batched)
    }
}
