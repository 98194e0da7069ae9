//! What the decoder of an intermediary takes beyond the specifications: every vector, read strictly and
//! leniently. Where the two differ, `vectors-lenient.json` says how; it is a second table of expectations,
//! beside those that the vectors hold themselves.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cloudevents_nl_codec::{
    Binding, DecodeError, Decoder, Event, HTTP, Header, KAFKA, Leniency, NATS, encode_structured,
};
use serde_json::{Value, json};

/// What became of a vector that a strict reader refuses or reads as another event.
type Table = BTreeMap<String, BTreeMap<String, Value>>;

/// The headers and the body that a vector has, and of which protocol; none is a text in a file.
struct Received {
    binding: Option<&'static Binding>,
    headers: Vec<(String, Option<Vec<u8>>)>,
    body: Option<Vec<u8>>,
}

impl Received {
    /// `None` where the vector is no message with one event.
    fn of(kind: &str, vector: &Value) -> Option<Self> {
        let (binding, body) = match kind {
            "binary-kafka" => (Some(&KAFKA), "value_base64"),
            "binary-nats" => (Some(&NATS), "payload_base64"),
            "binary-http" => (Some(&HTTP), "body_base64"),
            "events-valid" | "events-invalid" => (None, "event_base64"),
            _ => return None,
        };
        let text = vector["event"]
            .as_str()
            .map(|text| text.as_bytes().to_vec());
        let headers = vector["headers"].as_array().into_iter().flatten();
        Some(Self {
            binding,
            headers: headers
                .map(|header| {
                    (
                        header[0].as_str().unwrap().to_owned(),
                        header_value(&header[1]),
                    )
                })
                .collect(),
            body: text.or_else(|| bytes(&vector[body])),
        })
    }

    fn read(&self, decoder: &Decoder) -> Result<Vec<Event<'static>>, DecodeError> {
        let Some(binding) = self.binding else {
            let event = decoder.decode_structured(self.body.as_deref().unwrap_or_default())?;
            return Ok(vec![event.into_owned()]);
        };
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|(name, value)| Header {
                name,
                value: value.as_deref(),
            })
            .collect();
        let decoded = decoder.decode_any(binding, headers.iter().copied(), self.body.as_deref())?;
        Ok(decoded.into_events().map(Event::into_owned).collect())
    }
}

fn bytes(coded: &Value) -> Option<Vec<u8>> {
    coded.as_str().map(|coded| STANDARD.decode(coded).unwrap())
}

fn header_value(value: &Value) -> Option<Vec<u8>> {
    let plain = value.as_str().map(|text| text.as_bytes().to_vec());
    plain.or_else(|| bytes(&value["base64"]))
}

/// The events as JSON, each with the names of what has not the form of its type.
fn shown(events: &[Event<'_>], decoder: &Decoder) -> Value {
    let show = |event: &Event<'_>| {
        let mut text = Vec::new();
        encode_structured(event, &mut text);
        let again = decoder.decode_structured(&text).unwrap();
        assert_eq!(&again, event, "read again from structured mode");
        let irregular: Vec<_> = event.irregular().collect();
        json!({ "event": String::from_utf8(text).unwrap(), "irregular": irregular })
    };
    events.iter().map(show).collect()
}

#[test]
fn what_an_intermediary_takes_beyond_the_vectors_is_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (strict, lenient) = (
        Decoder::default(),
        Decoder::default().with_leniency(Leniency::INTERMEDIARY),
    );
    let mut found = Table::new();
    let (mut seen, mut refused) = (0, 0);
    let mut files: Vec<_> = fs::read_dir(here.join("vectors")).unwrap().collect();
    files.sort_by_key(|file| file.as_ref().unwrap().file_name());
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for vector in file["vectors"].as_array().unwrap() {
            let Some(received) = Received::of(file["kind"].as_str().unwrap(), vector) else {
                continue;
            };
            seen += 1;
            let (strictly, leniently) = (received.read(&strict), received.read(&lenient));
            refused += usize::from(leniently.is_err());
            match (strictly, leniently) {
                (Err(_), Err(_)) => {}
                (Ok(strictly), Ok(leniently)) if strictly == leniently => {}
                (strictly, Err(error)) => panic!("{strictly:?}, but leniently {error}"),
                (_, Ok(leniently)) => {
                    let name = path.file_name().unwrap().to_string_lossy().into_owned();
                    let vector = vector["name"].as_str().unwrap().to_owned();
                    let entries = found.entry(name).or_default();
                    entries.insert(vector, shown(&leniently, &lenient));
                }
            }
        }
    }
    assert!(
        seen > 300 && refused > 100,
        "{seen} vectors, {refused} refused"
    );
    let table = fs::read_to_string(here.join("vectors-lenient.json")).unwrap();
    let expected: Table = serde_json::from_str(&table).unwrap();
    let found_text = serde_json::to_string_pretty(&found).unwrap();
    assert!(found == expected, "the table would be:\n{found_text}");
}
