//! The official Rust SDK, driven as its Kafka binding drives it.

use cloudevents::event::SpecVersion;
use cloudevents::message::{
    BinaryDeserializer, BinarySerializer, MessageAttributeValue, Result, StructuredDeserializer,
    StructuredSerializer,
};
use cloudevents::{AttributesReader, Data, Event};

use super::{Engine, HeaderIterator};
use crate::corpus::Message;

/// `cloudevents-sdk`. It checks little, parses `data` into a tree and writes it anew: names of an
/// object sorted, numbers reformatted, `time` moved to UTC.
#[derive(Debug)]
pub struct Sdk;

impl Engine for Sdk {
    fn name(&self) -> &'static str {
        "cloudevents-sdk"
    }

    fn keeps_bytes(&self) -> bool {
        false
    }

    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8])) {
        let event: Event = serde_json::from_slice(text).expect("the event is valid");
        let record = event
            .deserialize_binary(Record::default())
            .expect("a list takes any event");
        take(
            &mut Lent {
                headers: &record.headers,
                next: 0,
            },
            &record.body,
        );
    }

    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8])) {
        let mut event = BinaryDeserializer::into_event(Received(message)).expect("a valid message");
        // Left as it is, any body would come out as `data_base64`.
        let content_type = event.datacontenttype().unwrap_or_default();
        let data = match (event.data(), content_type) {
            (Some(Data::Binary(body)), "application/json") => {
                Some(Data::Json(serde_json::from_slice(body).expect("JSON")))
            }
            (Some(Data::Binary(body)), "application/xml") => {
                let text = str::from_utf8(body).expect("XML is text");
                Some(Data::String(text.to_owned()))
            }
            _ => None,
        };
        if let Some(data) = data {
            event.set_data_unchecked(data);
        }
        take(
            &event
                .deserialize_structured(Text)
                .expect("the SDK writes any event"),
        );
    }
}

/// The message its Kafka binding makes, with a plain list for the headers.
#[derive(Default)]
struct Record {
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl BinarySerializer<Self> for Record {
    fn set_spec_version(mut self, version: SpecVersion) -> Result<Self> {
        self.headers.push((
            "ce_specversion".to_owned(),
            version.to_string().into_bytes(),
        ));
        Ok(self)
    }

    fn set_attribute(mut self, name: &str, value: MessageAttributeValue) -> Result<Self> {
        let name = match name {
            "datacontenttype" => "content-type".to_owned(),
            name => format!("ce_{name}"),
        };
        self.headers.push((name, value.to_string().into_bytes()));
        Ok(self)
    }

    fn set_extension(self, name: &str, value: MessageAttributeValue) -> Result<Self> {
        self.set_attribute(name, value)
    }

    fn end_with_data(mut self, bytes: Vec<u8>) -> Result<Self> {
        self.body = bytes;
        Ok(self)
    }

    fn end(self) -> Result<Self> {
        Ok(self)
    }
}

/// Takes the structured text as it is.
struct Text;

impl StructuredSerializer<Vec<u8>> for Text {
    fn set_structured_event(self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        Ok(bytes)
    }
}

/// A received message, read as the SDK's own Kafka record is, but without the map of headers.
struct Received<'a>(&'a Message<'a>);

impl BinaryDeserializer for Received<'_> {
    fn deserialize_binary<R: Sized, V: BinarySerializer<R>>(self, mut visitor: V) -> Result<R> {
        visitor = visitor.set_spec_version(SpecVersion::V10)?;
        let known = SpecVersion::V10.attribute_names();
        for header in self.0.headers {
            let text = str::from_utf8(header.value.unwrap_or_default()).expect("values are text");
            let value = MessageAttributeValue::String(text.to_owned());
            visitor = match header.name.strip_prefix("ce_") {
                Some("specversion") => visitor,
                Some(name) if known.contains(&name) => visitor.set_attribute(name, value)?,
                Some(name) => visitor.set_extension(name, value)?,
                None => visitor.set_attribute("datacontenttype", value)?,
            };
        }
        match self.0.body {
            Some(body) => visitor.end_with_data(body.to_vec()),
            None => visitor.end(),
        }
    }
}

struct Lent<'a> {
    headers: &'a [(String, Vec<u8>)],
    next: usize,
}

impl HeaderIterator for Lent<'_> {
    fn next_header(&mut self) -> Option<(&str, &[u8])> {
        let (name, value) = self.headers.get(self.next)?;
        self.next += 1;
        Some((name, value))
    }
}
