//! A second reader of JSON events, made of other crates: what a text holds, or that it holds no event.

use std::collections::BTreeMap;
use std::fmt;

use cloudevents_nl_codec::{AttributeType, Data, Event};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::grammar;
use super::tokens::depth;
use super::validate::DEPTH_MAX;

/// What the second reader found.
#[derive(Debug)]
pub(crate) enum Reading<'a> {
    Event(Reference<'a>),
    /// No event.
    Refused,
    /// The other crates follow other rules here, so they cannot tell.
    Open,
}

/// Attributes with their types, and data.
#[derive(Debug, PartialEq)]
pub(crate) struct Reference<'a> {
    pub(crate) attributes: BTreeMap<String, (AttributeType, String)>,
    pub(crate) data: ReferenceData<'a>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum ReferenceData<'a> {
    None,
    /// Where it lies in the text.
    Json(&'a str),
    Text(String),
    Binary(Vec<u8>),
}

const EVENT_BYTES_MAX: usize = 1 << 20;
const ATTRIBUTES_MAX: usize = 256;
const REQUIRED: [&str; 4] = ["specversion", "id", "source", "type"];

/// Attributes of an event of the codec, in the form of a [`Reference`].
pub(crate) fn attributes(event: &Event<'_>) -> BTreeMap<String, (AttributeType, String)> {
    event
        .attributes()
        .map(|(name, value)| (name.to_owned(), (value.ty(), value.text().into_owned())))
        .collect()
}

/// Whether both found the same data; JSON at the same place in the text.
pub(crate) fn is_same_data(ours: &Data<'_>, theirs: &ReferenceData<'_>) -> bool {
    match (ours, theirs) {
        (Data::None, ReferenceData::None) => true,
        (Data::Json(json), ReferenceData::Json(raw)) => std::ptr::eq(json.as_str(), *raw),
        (Data::Text(text), ReferenceData::Text(other)) => text == other,
        (Data::Binary(bytes), ReferenceData::Binary(other)) => **bytes == **other,
        _ => false,
    }
}

/// Reads a text as the core specification and its JSON format demand.
pub(crate) fn read(text: &[u8]) -> Reading<'_> {
    if text.len() > EVENT_BYTES_MAX || str::from_utf8(text).is_err() {
        return Reading::Refused;
    }
    match serde_json::from_slice(text) {
        Ok(Members(members)) if depth(text) <= DEPTH_MAX => event_of(members),
        _ => Reading::Refused,
    }
}

fn event_of<'a>(mut values: BTreeMap<String, &'a str>) -> Reading<'a> {
    let data = values.remove("data");
    let data_base64 = values.remove("data_base64").filter(|raw| *raw != "null");
    if values.len() > ATTRIBUTES_MAX {
        return Reading::Refused;
    }
    let mut attributes = BTreeMap::new();
    let mut is_json = true;
    let mut is_open = false;
    for (name, raw) in values {
        if raw == "null" {
            continue;
        }
        let Some((ty, text)) = attribute(&name, raw) else {
            return Reading::Refused;
        };
        if name == "datacontenttype" {
            match grammar::media_type(&text) {
                Some(Ok(media_type)) => is_json = grammar::is_json(&media_type),
                Some(Err(_)) => return Reading::Refused,
                None => is_open = true,
            }
        }
        attributes.insert(name, (ty, text));
    }
    if REQUIRED.iter().any(|name| !attributes.contains_key(*name)) {
        return Reading::Refused;
    }
    if is_open {
        return Reading::Open;
    }
    match data_of(data, data_base64, is_json) {
        Some(data) => Reading::Event(Reference { attributes, data }),
        None => Reading::Refused,
    }
}

/// The type and the text of an attribute; `None` when it breaks the specification.
fn attribute(name: &str, raw: &str) -> Option<(AttributeType, String)> {
    let ty = match name {
        "id" | "type" | "subject" | "datacontenttype" | "specversion" => AttributeType::String,
        "source" => AttributeType::UriReference,
        "dataschema" => AttributeType::Uri,
        "time" => AttributeType::Timestamp,
        _ => return extension(name, raw),
    };
    let text: String = serde_json::from_str(raw).ok()?;
    let is_valid = match name {
        "specversion" => text == "1.0",
        "source" => grammar::is_uri_reference(&text),
        "dataschema" => grammar::is_absolute_uri(&text),
        "time" => grammar::is_timestamp(&text),
        _ => grammar::is_attribute_text(&text),
    };
    (is_valid && !text.is_empty()).then_some((ty, text))
}

fn extension(name: &str, raw: &str) -> Option<(AttributeType, String)> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if name.is_empty() || !name.chars().all(is_letter) {
        return None;
    }
    match raw.as_bytes().first()? {
        b't' | b'f' => Some((AttributeType::Boolean, raw.to_owned())),
        b'"' => {
            let text: String = serde_json::from_str(raw).ok()?;
            let ty = match name {
                "dataref" if grammar::is_uri_reference(&text) => AttributeType::UriReference,
                "sampledrate" if integer(&text).is_some() && text != "-0" => AttributeType::Integer,
                _ => AttributeType::String,
            };
            grammar::is_attribute_text(&text).then_some((ty, text))
        }
        _ => Some((AttributeType::Integer, integer(raw)?.to_string())),
    }
}

/// A number that its canonical text spells, or minus zero.
fn integer(text: &str) -> Option<i32> {
    let number: i32 = text.parse().ok()?;
    (number.to_string() == text || text == "-0").then_some(number)
}

fn data_of<'a>(
    data: Option<&'a str>,
    data_base64: Option<&str>,
    is_json: bool,
) -> Option<ReferenceData<'a>> {
    match (data, data_base64) {
        (None, None) => Some(ReferenceData::None),
        (Some(raw), None) if is_json => Some(ReferenceData::Json(raw)),
        (Some(raw), None) => serde_json::from_str(raw).ok().map(ReferenceData::Text),
        (None, Some(raw)) => {
            let text: String = serde_json::from_str(raw).ok()?;
            grammar::base64(&text).map(ReferenceData::Binary)
        }
        (Some(_), Some(_)) => None,
    }
}

/// The members of an object, as they are spelled; one that stands twice is a fault.
struct Members<'a>(BTreeMap<String, &'a str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Once;
        impl<'de> Visitor<'de> for Once {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if members.insert(name, value.get()).is_some() {
                        return Err(A::Error::custom("a member stands twice"));
                    }
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Once)
    }
}
