//! Events that are easily damaged on the way, in every form in which a sender can write them.

use std::collections::BTreeMap;

use base64_simd::STANDARD;
use serde_json::json;

use super::events::{SOURCE, TYPE};
use super::kafka::Record;
use super::wire::{Mode, Seen};

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Specimen {
    /// Required attributes included.
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) data: Data,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    None,
    Json(String),
    Text(String),
    Bytes(Vec<u8>),
}

/// Extension attributes that a sender writes in JSON as an Integer and a Boolean.
const COUNT: &str = "livecount";
/// See [`COUNT`].
const FLAG: &str = "liveflag";

const JSON: (&str, &str) = ("datacontenttype", "application/json");

/// All of them, with ids that begin with `prefix`.
pub(crate) fn specimens(prefix: &str) -> Vec<Specimen> {
    let json = |text: &str| Data::Json(text.to_owned());
    let large = format!(r#"{{"large":"{}"}}"#, "0123456789abcdef".repeat(4096));
    let sized = |bytes: usize| {
        let whole =
            r#"{"bedrag":1.50,"tekst":"één \u00e9\n","groot":12345678901234567890,"leeg":[]},"#;
        let mut text = "[".to_owned();
        while text.len() + whole.len() < bytes {
            text += whole;
        }
        Data::Json(text + "null]")
    };
    let several = [
        ("plain", vec![JSON], json(r#"{"zaak":"2026-1"}"#)),
        (
            "numbers",
            vec![JSON],
            json(r#"{ "a": 1.50, "b": 1e400, "c": -0.0, "d": 12345678901234567890123, "a": 2 }"#),
        ),
        (
            "escapes",
            vec![JSON],
            json(r#"{"t":"\u00e9\/\ud83d\ude00","u":"é😀"}"#),
        ),
        ("json-null", vec![JSON], json("null")),
        ("json-text", vec![JSON], json(r#""tekst""#)),
        ("none", vec![], Data::None),
        ("none-typed", vec![JSON], Data::None),
        (
            "empty",
            vec![("datacontenttype", "text/plain")],
            Data::Text(String::new()),
        ),
        (
            "text",
            vec![("datacontenttype", "text/plain; charset=utf-8")],
            Data::Text("één\n\"twee\"\t😀".to_owned()),
        ),
        (
            "xml",
            vec![("datacontenttype", "application/xml")],
            Data::Text("<a b=\"c\">é</a>".to_owned()),
        ),
        (
            "bytes",
            vec![("datacontenttype", "application/octet-stream")],
            Data::Bytes((0..=255).collect()),
        ),
        ("bytes-untyped", vec![], Data::Bytes(vec![0xff, 0x00, 0xfe])),
        (
            "attributes",
            vec![
                JSON,
                ("time", "2026-11-21T10:00:00.123456789+01:00"),
                ("dataschema", "https://schema.example/zaak?v=1"),
                ("subject", "één \"zaak\" 100% 😀"),
                ("nlbrpnationaliteit", "0083"),
                ("unknownextension", "keep %41 me, please; = as I am"),
                ("sequence", "0012"),
                ("partitionkey", "sleutel 1"),
            ],
            json("[]"),
        ),
        ("large", vec![JSON], Data::Json(large)),
        ("1-KiB", vec![JSON], sized(1 << 10)),
        ("64-KiB", vec![JSON], sized(64 << 10)),
        (
            "64-KiB-text",
            vec![("datacontenttype", "text/plain")],
            Data::Text("één \"regel\"\n".repeat(4096)),
        ),
        (
            "64-KiB-bytes",
            vec![("datacontenttype", "application/octet-stream")],
            Data::Bytes((0..=255).cycle().take(64 << 10).collect()),
        ),
        (
            "typed",
            vec![JSON, (COUNT, "-42"), (FLAG, "true")],
            json("1"),
        ),
    ];
    let specimens = several.into_iter().map(|(name, attributes, data)| {
        let id = format!("{prefix}-{name}");
        let required = [
            ("specversion", "1.0"),
            ("id", &id),
            ("source", SOURCE),
            ("type", TYPE),
        ];
        let attributes = required.into_iter().chain(attributes);
        Specimen {
            attributes: attributes
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            data,
        }
    });
    specimens.collect()
}

impl Specimen {
    pub(crate) fn id(&self) -> &str {
        &self.attributes["id"]
    }

    /// As a JSON event.
    pub(crate) fn json(&self) -> String {
        let attributes = self.attributes.iter();
        let mut members: Vec<_> = attributes
            .map(|(name, value)| match name.as_str() {
                COUNT | FLAG => format!("{}: {value}", json!(name)),
                _ => format!("{}: {}", json!(name), json!(value)),
            })
            .collect();
        members.extend(match &self.data {
            Data::None => None,
            Data::Json(text) => Some(format!("\"data\" : {text}")),
            Data::Text(text) => Some(format!("\"data\": {}", json!(text))),
            Data::Bytes(bytes) => {
                let text = STANDARD.encode_to_string(bytes);
                Some(format!("\"data_base64\": {}", json!(text)))
            }
        });
        format!("{{ {} }}", members.join(", "))
    }

    /// The bytes of binary mode.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        match &self.data {
            Data::None => None,
            Data::Json(text) | Data::Text(text) => Some(text.clone().into_bytes()),
            Data::Bytes(bytes) => Some(bytes.clone()),
        }
    }

    /// As a Kafka record in structured mode.
    pub(crate) fn structured_record(&self) -> Record {
        Record::new(Some("key"), Some(self.json().as_bytes()))
            .header("content-type", "application/cloudevents+json")
    }

    /// As a Kafka record in binary mode.
    pub(crate) fn binary_record(&self) -> Record {
        let record = Record::new(Some("key"), self.bytes().as_deref());
        self.attributes
            .iter()
            .fold(record, |record, (name, value)| {
                if name == "datacontenttype" {
                    record.header("content-type", value)
                } else {
                    record.header(&format!("ce_{name}"), value)
                }
            })
    }

    /// Header names and values of an HTTP request in binary mode.
    pub(crate) fn http_headers(&self) -> Vec<(String, String)> {
        let attributes = self.attributes.iter();
        let headers = attributes.map(|(name, value)| match name.as_str() {
            "datacontenttype" => ("content-type".to_owned(), value.clone()),
            _ => (format!("ce-{name}"), percent_encoded(value)),
        });
        headers.collect()
    }

    /// Compares with what was found at the far end.
    ///
    /// # Panics
    /// When an attribute differs, or a byte of the data.
    pub(crate) fn is_equal_to(&self, seen: &Seen, is_over_http: bool) {
        assert_eq!(self.attributes, seen.attributes, "{}", self.id());
        let mut expected = self.bytes();
        // HTTP has no empty data: in binary mode it is none.
        if is_over_http && seen.mode == Mode::Binary && expected.as_deref() == Some(&[]) {
            expected = None;
        }
        assert!(
            expected == seen.data,
            "{}: data {:?} became {:?}",
            self.id(),
            expected.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            seen.data
                .as_ref()
                .map(|bytes| String::from_utf8_lossy(bytes)),
        );
    }
}

fn percent_encoded(text: &str) -> String {
    let mut buffer = [0; 4];
    let mut encoded = String::new();
    for character in text.chars() {
        if matches!(character, '!'..='~') && !matches!(character, '"' | '%') {
            encoded.push(character);
        } else {
            for byte in character.encode_utf8(&mut buffer).bytes() {
                encoded += &format!("%{byte:02X}");
            }
        }
    }
    encoded
}
