//! Each hop with cloudevents-sdk. HTTP goes through its own binding. Those for Kafka and NATS want other versions
//! of the clients, and CMake: what they do to a message is done here, with the traits that they implement.

use std::collections::HashMap;
use std::mem;

use bytes::Bytes;
use cloudevents::Event;
use cloudevents::binding::http::{Builder, Serializer, to_event};
use cloudevents::event::SpecVersion;
use cloudevents::message::{
    BinaryDeserializer, BinarySerializer, MessageAttributeValue, Result, StructuredDeserializer,
};
use http::{HeaderMap, HeaderValue, Request};
use rdkafka::Message as _;
use rdkafka::message::{Header, Headers, OwnedHeaders, OwnedMessage};

use super::Record;

pub(crate) fn http_to_kafka(headers: &HeaderMap, body: &Bytes) -> Record<Vec<u8>> {
    let event = to_event(headers, body.to_vec()).expect("a valid event");
    record(event)
}

/// JSON data comes out as `data_base64`: the SDK leaves the body of a record as bytes.
pub(crate) fn kafka_to_http(message: &OwnedMessage) -> Request<Vec<u8>> {
    let event = BinaryDeserializer::into_event(Received::of(message)).expect("a valid event");
    let request = event.deserialize_structured(Serializer::new(Building(Request::builder())));
    request.expect("it takes any event")
}

/// Its binding copies the message, and its payload once more.
pub(crate) fn nats_to_kafka(message: &async_nats::Message) -> Record<Vec<u8>> {
    let payload = message.clone().payload.to_vec();
    record(serde_json::from_slice(&payload).expect("a valid event"))
}

fn record(event: Event) -> Record<Vec<u8>> {
    let record = event.deserialize_binary(Written::default());
    let Written { headers, value } = record.expect("it takes any event");
    (headers, value)
}

#[derive(Default)]
struct Written {
    headers: OwnedHeaders,
    value: Option<Vec<u8>>,
}

impl Written {
    fn header(mut self, key: &str, value: &str) -> Self {
        let value = Some(value);
        self.headers = self.headers.insert(Header { key, value });
        self
    }
}

impl BinarySerializer<Self> for Written {
    fn set_spec_version(self, version: SpecVersion) -> Result<Self> {
        Ok(self.header("ce_specversion", &version.to_string()))
    }

    fn set_attribute(self, name: &str, value: MessageAttributeValue) -> Result<Self> {
        let key = match name {
            "datacontenttype" => "content-type".to_owned(),
            name => ["ce_", name].concat(),
        };
        Ok(self.header(&key, &value.to_string()))
    }

    fn set_extension(self, name: &str, value: MessageAttributeValue) -> Result<Self> {
        self.set_attribute(name, value)
    }

    fn end_with_data(mut self, bytes: Vec<u8>) -> Result<Self> {
        self.value = Some(bytes);
        Ok(self)
    }

    fn end(self) -> Result<Self> {
        Ok(self)
    }
}

/// The SDK has no builder of its own for requests in structured mode.
struct Building(http::request::Builder);

impl Builder<Request<Vec<u8>>> for Building {
    fn header(&mut self, name: &str, value: HeaderValue) {
        self.0 = mem::take(&mut self.0).header(name, value);
    }

    fn body(&mut self, bytes: Vec<u8>) -> Result<Request<Vec<u8>>> {
        let request = mem::take(&mut self.0).body(bytes);
        Ok(request.expect("its headers are valid"))
    }

    fn finish(&mut self) -> Result<Request<Vec<u8>>> {
        self.body(Vec::new())
    }
}

/// A record as it is received: all headers in a map, and a copy of the payload.
struct Received {
    headers: HashMap<String, Vec<u8>>,
    payload: Option<Vec<u8>>,
}

impl Received {
    fn of(message: &OwnedMessage) -> Self {
        let headers = message.headers().into_iter().flat_map(Headers::iter);
        let headers = headers.map(|header| {
            (
                header.key.to_owned(),
                header.value.unwrap_or_default().to_vec(),
            )
        });
        Self {
            headers: headers.collect(),
            payload: message.payload().map(<[u8]>::to_vec),
        }
    }
}

impl BinaryDeserializer for Received {
    fn deserialize_binary<R: Sized, V: BinarySerializer<R>>(mut self, mut visitor: V) -> Result<R> {
        let text = |bytes| MessageAttributeValue::String(String::from_utf8(bytes).expect("text"));
        self.headers.remove("ce_specversion");
        visitor = visitor.set_spec_version(SpecVersion::V10)?;
        if let Some(value) = self.headers.remove("content-type") {
            visitor = visitor.set_attribute("datacontenttype", text(value))?;
        }
        let known = SpecVersion::V10.attribute_names();
        for (name, value) in self.headers {
            let Some(name) = name.strip_prefix("ce_") else {
                continue;
            };
            visitor = match known.contains(&name) {
                true => visitor.set_attribute(name, text(value))?,
                false => visitor.set_extension(name, text(value))?,
            };
        }
        match self.payload {
            Some(payload) => visitor.end_with_data(payload),
            None => visitor.end(),
        }
    }
}
