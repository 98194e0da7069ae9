//! serde_json, with `data` as a raw text.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::Serialize;
use serde_json::value::RawValue;

use super::raw::Library;

/// `serde_json` with `RawValue`.
#[derive(Debug)]
pub struct SerdeRawValue;

impl Library for SerdeRawValue {
    const NAME: &'static str = "serde_json-RawValue";

    type Raw<'t> = &'t RawValue;

    fn read<'t, V: Visitor<'t>>(text: &'t [u8], visitor: V) -> V::Value {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let value = reader.deserialize_map(visitor).expect("a valid event");
        reader.end().expect("nothing follows the event");
        value
    }

    fn raw(body: &[u8]) -> &RawValue {
        serde_json::from_slice(body).expect("a JSON body")
    }

    fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> T {
        serde_json::from_str(text).expect("a JSON text")
    }

    fn text<'r>(raw: &'r &RawValue) -> &'r str {
        raw.get()
    }

    fn write(value: &impl Serialize, out: &mut Vec<u8>) {
        serde_json::to_writer(out, value).expect("a Vec takes all bytes");
    }
}
