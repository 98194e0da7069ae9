//! sonic-rs as a careful user would write it: a borrowing visitor, `data` as a lazy value.

use base64_simd::STANDARD;
use cloudevents_nl_codec::Message;
use serde::de::Deserializer;
use serde::ser::{SerializeMap, Serializer};
use sonic_rs::LazyValue;

use super::members::{Members, Text};
use super::{Engine, HeaderIterator, Headers, Shape};

/// `sonic-rs`. Of the CloudEvents rules it only looks for the four required names, and it accepts texts
/// that are not JSON.
#[derive(Debug, Default)]
pub struct Sonic {
    headers: Headers,
    text: Vec<u8>,
}

impl Engine for Sonic {
    fn name(&self) -> &'static str {
        "sonic-rs"
    }

    fn keeps_bytes(&self) -> bool {
        true
    }

    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8])) {
        self.headers.clear();
        let mut reader = sonic_rs::Deserializer::from_slice(text);
        let found = reader
            .deserialize_map(Members::<LazyValue<'_>>::into(&mut self.headers))
            .expect("the event is valid");
        reader.end().expect("nothing follows the event");
        let headers = &mut self.headers.iter();
        match (found.data, found.base64) {
            (Some(raw), _) if found.is_json => take(headers, raw.as_raw_str().as_bytes()),
            (Some(raw), _) => {
                let text: Text<'_> = sonic_rs::from_str(raw.as_raw_str()).expect("data is text");
                take(headers, text.0.as_bytes());
            }
            (None, base64) => {
                let base64 = base64.unwrap_or_default();
                let data = STANDARD.decode_to_vec(base64.as_bytes()).expect("base64");
                take(headers, &data);
            }
        }
    }

    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8])) {
        self.text.clear();
        let mut writer = sonic_rs::Serializer::new(&mut self.text);
        let mut map = writer.serialize_map(None).expect("a Vec takes all bytes");
        for header in message.headers {
            let name = header.name.strip_prefix("ce_").unwrap_or("datacontenttype");
            let value = str::from_utf8(header.value.unwrap_or_default()).expect("values are text");
            map.serialize_entry(name, value)
                .expect("a Vec takes all bytes");
        }
        let body = message.body.unwrap_or_default();
        let written = match Shape::of(message) {
            Shape::Json => {
                let raw: LazyValue<'_> = sonic_rs::from_slice(body).expect("a JSON body");
                map.serialize_entry("data", &raw)
            }
            Shape::Text => {
                map.serialize_entry("data", str::from_utf8(body).expect("a body of text"))
            }
            Shape::Bytes => map.serialize_entry("data_base64", &STANDARD.encode_to_string(body)),
        };
        written.expect("a Vec takes all bytes");
        SerializeMap::end(map).expect("a Vec takes all bytes");
        take(&self.text);
    }
}
