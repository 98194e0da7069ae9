//! serde_json as a careful user would write it: a borrowing visitor, `data` as a raw text.

use std::borrow::Cow;
use std::fmt;

use cloudevents_nl_codec::Message;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::{Engine, HeaderIterator, Headers};

/// `serde_json` with `RawValue`. Of the CloudEvents rules it only looks for the four required names.
#[derive(Debug, Default)]
pub struct SerdeRawValue {
    headers: Headers,
    text: Vec<u8>,
}

impl Engine for SerdeRawValue {
    fn name(&self) -> &'static str {
        "serde_json-RawValue"
    }

    fn keeps_bytes(&self) -> bool {
        true
    }

    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8])) {
        self.headers.clear();
        let mut reader = serde_json::Deserializer::from_slice(text);
        let body = reader
            .deserialize_map(Members(&mut self.headers))
            .expect("the event is valid");
        reader.end().expect("nothing follows the event");
        take(
            &mut self.headers.iter(),
            body.map_or(b"", |raw| raw.get().as_bytes()),
        );
    }

    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8])) {
        self.text.clear();
        let mut writer = serde_json::Serializer::new(&mut self.text);
        let mut map = writer.serialize_map(None).expect("a Vec takes all bytes");
        for header in message.headers {
            let name = header.name.strip_prefix("ce_").unwrap_or("datacontenttype");
            let value = str::from_utf8(header.value.unwrap_or_default()).expect("values are text");
            map.serialize_entry(name, value)
                .expect("a Vec takes all bytes");
        }
        let body: &RawValue =
            serde_json::from_slice(message.body.unwrap_or_default()).expect("a JSON body");
        map.serialize_entry("data", body)
            .expect("a Vec takes all bytes");
        SerializeMap::end(map).expect("a Vec takes all bytes");
        take(&self.text);
    }
}

/// Reads the members of an event into headers and returns `data`.
struct Members<'h>(&'h mut Headers);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut data = None;
        let mut required = 0_u8;
        while let Some(Text(name)) = map.next_key()? {
            match &*name {
                "data" => data = Some(map.next_value()?),
                name => {
                    required += u8::from(matches!(name, "specversion" | "id" | "source" | "type"));
                    let Text(value) = map.next_value()?;
                    self.0.push_attribute(name, &value);
                }
            }
        }
        if required == 4 {
            Ok(data)
        } else {
            Err(serde::de::Error::missing_field("id"))
        }
    }
}

/// Text that is borrowed unless it held an escape; plain `Cow` would always be owned.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
