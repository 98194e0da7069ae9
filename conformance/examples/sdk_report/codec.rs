//! The official Rust SDK behind the trait, each protocol driven as far as it builds here.

use std::cell::Cell;
use std::collections::HashMap;

use cloudevents::binding::http::{Builder, Serializer, to_event};
use cloudevents::event::{AttributeValue, SpecVersion};
use cloudevents::message::{
    BinaryDeserializer, BinarySerializer, Encoding, Error, MessageAttributeValue,
    MessageDeserializer, Result as SdkResult, StructuredDeserializer, StructuredSerializer,
};
use cloudevents::{AttributesReader, Data, Event};
use cloudevents_nl_codec::AttributeType;
use cloudevents_nl_conformance::codec::{Codec, Decoded, Described, Payload, Refusal};
use cloudevents_nl_conformance::{Capture, Header, Mode, Protocol};
use http::header::{HeaderMap, HeaderName, HeaderValue};

const STRUCTURED: &str = "application/cloudevents+json";

/// `cloudevents-sdk`: JSON through serde, HTTP through its binding for the crate `http`, Kafka and NATS
/// through its own traits, with what its bindings do to a client's types done here.
#[derive(Debug)]
pub(crate) struct Sdk;

impl Codec for Sdk {
    type Event = Event;

    fn decode(&self, message: &Capture) -> Result<Decoded<Event>, Refusal> {
        let body = || message.body().to_vec();
        let content_type = message.header("content-type").unwrap_or_default();
        if content_type.starts_with("application/cloudevents-batch") {
            let where_it_is = "batches: only its binding to reqwest has them";
            return Err(Refusal::NotSupported(where_it_is.to_owned()));
        }
        let event = match message.protocol {
            Protocol::Http => to_event(&header_map(message)?, body()),
            Protocol::Kafka => Record::received(message).and_then(MessageDeserializer::into_event),
            Protocol::Nats if is_binary_on_nats(message) => {
                return Err(Refusal::NotSupported("binary mode on NATS".to_owned()));
            }
            _ => StructuredDeserializer::into_event(Text(body())),
        };
        match event {
            Ok(event) if event.specversion() == SpecVersion::V10 => Ok(Decoded::Event(event)),
            // It reads CloudEvents 0.3 too, and says so: whoever wants 1.0 can tell.
            Ok(_) => Err(Refusal::Refused("an event of CloudEvents 0.3".to_owned())),
            Err(error) => Err(Refusal::Refused(error.to_string())),
        }
    }

    fn describe(&self, event: &Event) -> Described {
        let mut described = Described::default();
        for (name, value) in event.iter() {
            let (ty, text) = match value {
                AttributeValue::Boolean(value) => (AttributeType::Boolean, value.to_string()),
                AttributeValue::Integer(value) => (AttributeType::Integer, value.to_string()),
                AttributeValue::String(text) => (AttributeType::String, text.to_owned()),
                AttributeValue::Binary(_) => (AttributeType::Binary, value.to_string()),
                AttributeValue::URI(uri) => (AttributeType::Uri, uri.to_string()),
                AttributeValue::URIRef(text) => (AttributeType::UriReference, text.clone()),
                AttributeValue::SpecVersion(version) => {
                    (AttributeType::String, version.to_string())
                }
                // As the SDK spells it in JSON.
                AttributeValue::Time(time) => match serde_json::to_value(time) {
                    Ok(serde_json::Value::String(text)) => (AttributeType::Timestamp, text),
                    other => panic!("{other:?} is no time"),
                },
            };
            described.set(name, Some(ty), text);
        }
        described.data = event.data().map(|data| match data {
            Data::Json(value) => Payload::json(value.to_string()),
            Data::String(text) => Payload::text(in_charset(text, event.datacontenttype())),
            // Any body of binary mode, whatever its content type.
            Data::Binary(bytes) => Payload::bytes(bytes.clone()),
        });
        described
    }

    fn encode(&self, event: &Event, protocol: Protocol, mode: Mode) -> Result<Capture, Refusal> {
        let event = event.clone();
        let written = match (protocol, mode) {
            (Protocol::File, Mode::Structured) => {
                StructuredDeserializer::deserialize_structured(event, Text::default())
                    .map(|Text(text)| Capture::event(text))
            }
            // Its binding to NATS writes a payload and no headers.
            (Protocol::Nats, Mode::Structured) => {
                StructuredDeserializer::deserialize_structured(event, Text::default()).map(
                    |Text(text)| {
                        let mut message = Capture::new(Protocol::Nats);
                        message.body = Some(text);
                        message
                    },
                )
            }
            (Protocol::Http, Mode::Structured) => {
                let request = Serializer::new(Request::default());
                StructuredDeserializer::deserialize_structured(event, request)
            }
            (Protocol::Http, Mode::Binary) => http::Request::<Option<Vec<u8>>>::try_from(event)
                .map(|request| {
                    let (parts, body) = request.into_parts();
                    captured(&parts.headers, body.unwrap_or_default())
                }),
            (Protocol::Kafka, Mode::Structured) => {
                StructuredDeserializer::deserialize_structured(event, Record::default())
                    .map(Record::sent)
            }
            (Protocol::Kafka, Mode::Binary) => {
                BinaryDeserializer::deserialize_binary(event, Record::default()).map(Record::sent)
            }
            (Protocol::Nats, Mode::Binary) => {
                return Err(Refusal::NotSupported("binary mode on NATS".to_owned()));
            }
            _ => {
                let where_it_is = "batches: only its binding to reqwest has them";
                return Err(Refusal::NotSupported(where_it_is.to_owned()));
            }
        };
        written.map_err(|error| Refusal::Refused(error.to_string()))
    }
}

/// Text in the charset of its content type, where that is not UTF-8: a reader gets characters.
fn in_charset(text: &str, media_type: Option<&str>) -> Vec<u8> {
    let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
    let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
    match latin {
        Some(latin) if media_type.contains("charset=iso-8859-1") => latin,
        _ => text.as_bytes().to_vec(),
    }
}

/// The binding reads every message as structured; a message with attributes in headers was meant for
/// somebody else.
fn is_binary_on_nats(message: &Capture) -> bool {
    let content_type = message.header("content-type").unwrap_or_default();
    let is_announced = content_type
        .to_ascii_lowercase()
        .starts_with("application/cloudevents");
    let mut names = message
        .headers
        .iter()
        .map(|header| header.name.to_ascii_lowercase());
    !is_announced && names.any(|name| name.starts_with("ce-"))
}

fn header_map(message: &Capture) -> Result<HeaderMap, Refusal> {
    let mut map = HeaderMap::new();
    for Header { name, value } in &message.headers {
        let refused = || Refusal::Refused(format!("the crate http has no such header: {name}"));
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?;
        // Every reader of HTTP takes away the white space around a value (RFC 9110, section 5.5).
        let value = value.as_deref().unwrap_or_default().trim_ascii();
        let value = HeaderValue::from_bytes(value);
        map.append(parsed, value.map_err(|_| refused())?);
    }
    Ok(map)
}

fn captured(headers: &HeaderMap, body: Vec<u8>) -> Capture {
    let mut message = Capture::new(Protocol::Http);
    for (name, value) in headers {
        message = message.with_header(name.as_str(), value.as_bytes());
    }
    message.body = Some(body);
    message
}

/// What its HTTP serializer writes to.
#[derive(Default)]
struct Request(Cell<HeaderMap>);

impl Builder<Capture> for Request {
    fn header(&mut self, key: &str, value: HeaderValue) {
        let name = HeaderName::from_bytes(key.as_bytes()).expect("the SDK names its headers");
        self.0.get_mut().append(name, value);
    }

    fn body(&mut self, bytes: Vec<u8>) -> SdkResult<Capture> {
        Ok(captured(&self.0.take(), bytes))
    }

    fn finish(&mut self) -> SdkResult<Capture> {
        self.body(Vec::new())
    }
}

/// The text of a structured message.
#[derive(Default)]
struct Text(Vec<u8>);

impl StructuredDeserializer for Text {
    fn deserialize_structured<R, V: StructuredSerializer<R>>(self, visitor: V) -> SdkResult<R> {
        visitor.set_structured_event(self.0)
    }
}

impl StructuredSerializer<Self> for Text {
    fn set_structured_event(self, bytes: Vec<u8>) -> SdkResult<Self> {
        Ok(Self(bytes))
    }
}

/// A Kafka record as its binding holds one: a map of headers, and a payload that may be null.
#[derive(Default)]
struct Record {
    headers: HashMap<String, Vec<u8>>,
    payload: Option<Vec<u8>>,
}

impl Record {
    /// # Panics
    /// Where the binding does: `ConsumerRecordDeserializer` unwraps the value of each header.
    fn received(message: &Capture) -> SdkResult<Self> {
        if message.headers.is_empty() {
            return Err(Error::WrongEncoding {});
        }
        let headers = message.headers.iter().map(|header| {
            let value = header.value.clone();
            let value = value.expect("the binding to rdkafka unwraps the value of a header");
            (header.name.clone(), value)
        });
        Ok(Self {
            headers: headers.collect(),
            payload: message.body.clone(),
        })
    }

    fn sent(self) -> Capture {
        let mut message = Capture::new(Protocol::Kafka);
        for (name, value) in self.headers {
            message = message.with_header(&name, value);
        }
        message
            .headers
            .sort_by(|one, other| one.name.cmp(&other.name));
        message.body = self.payload;
        message
    }

    fn text(value: Vec<u8>) -> SdkResult<MessageAttributeValue> {
        let text = String::from_utf8(value);
        text.map(MessageAttributeValue::String)
            .map_err(|error| Error::Other {
                source: Box::new(error),
            })
    }
}

impl MessageDeserializer for Record {
    fn encoding(&self) -> Encoding {
        let content_type = self.headers.get("content-type");
        let content_type = content_type.and_then(|value| str::from_utf8(value).ok());
        if content_type.is_some_and(|value| value.starts_with(STRUCTURED)) {
            Encoding::STRUCTURED
        } else if self.headers.contains_key("ce_specversion") {
            Encoding::BINARY
        } else {
            Encoding::UNKNOWN
        }
    }
}

impl BinaryDeserializer for Record {
    fn deserialize_binary<R, V: BinarySerializer<R>>(self, visitor: V) -> SdkResult<R> {
        let mut headers: Vec<_> = self.headers.into_iter().collect();
        // So that the first fault is the same every time, which it is not in a HashMap.
        headers.sort();
        let at = headers
            .iter()
            .position(|(name, _)| name == "ce_specversion");
        let (_, version) = headers.remove(at.ok_or(Error::WrongEncoding {})?);
        let version = SpecVersion::try_from(&*Self::text(version)?.to_string())?;
        let known = version.attribute_names();
        let mut visitor = visitor.set_spec_version(version)?;
        for (name, value) in headers {
            visitor = match name.strip_prefix("ce_") {
                Some(name) if known.contains(&name) => {
                    visitor.set_attribute(name, Self::text(value)?)?
                }
                Some(name) => visitor.set_extension(name, Self::text(value)?)?,
                None if name == "content-type" => {
                    visitor.set_attribute("datacontenttype", Self::text(value)?)?
                }
                None => visitor,
            };
        }
        match self.payload {
            Some(payload) => visitor.end_with_data(payload),
            None => visitor.end(),
        }
    }
}

impl StructuredDeserializer for Record {
    /// # Panics
    /// Where the binding does: it unwraps the payload.
    fn deserialize_structured<R, V: StructuredSerializer<R>>(self, visitor: V) -> SdkResult<R> {
        let payload = self
            .payload
            .expect("the binding to rdkafka unwraps the payload");
        visitor.set_structured_event(payload)
    }
}

impl BinarySerializer<Self> for Record {
    fn set_spec_version(self, version: SpecVersion) -> SdkResult<Self> {
        self.set_attribute(
            "specversion",
            MessageAttributeValue::String(version.to_string()),
        )
    }

    fn set_attribute(mut self, name: &str, value: MessageAttributeValue) -> SdkResult<Self> {
        let name = match name {
            "datacontenttype" => "content-type".to_owned(),
            name => format!("ce_{name}"),
        };
        self.headers.insert(name, value.to_string().into_bytes());
        Ok(self)
    }

    fn set_extension(self, name: &str, value: MessageAttributeValue) -> SdkResult<Self> {
        self.set_attribute(name, value)
    }

    fn end_with_data(mut self, bytes: Vec<u8>) -> SdkResult<Self> {
        self.payload = Some(bytes);
        Ok(self)
    }

    fn end(self) -> SdkResult<Self> {
        Ok(self)
    }
}

impl StructuredSerializer<Self> for Record {
    fn set_structured_event(mut self, bytes: Vec<u8>) -> SdkResult<Self> {
        self.headers
            .insert("content-type".to_owned(), STRUCTURED.as_bytes().to_vec());
        self.payload = Some(bytes);
        Ok(self)
    }
}
