//! sonic-rs, with `data` as a lazy value. It accepts texts that are not JSON.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::Serialize;
use sonic_rs::LazyValue;

use super::raw::Library;

/// `sonic-rs`.
#[derive(Debug)]
pub struct Sonic;

impl Library for Sonic {
    const NAME: &'static str = "sonic-rs";

    type Raw<'t> = LazyValue<'t>;

    fn read<'t, V: Visitor<'t>>(text: &'t [u8], visitor: V) -> V::Value {
        let mut reader = sonic_rs::Deserializer::from_slice(text);
        let value = reader.deserialize_map(visitor).expect("a valid event");
        reader.end().expect("nothing follows the event");
        value
    }

    fn raw(body: &[u8]) -> LazyValue<'_> {
        sonic_rs::from_slice(body).expect("a JSON body")
    }

    fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> T {
        sonic_rs::from_str(text).expect("a JSON text")
    }

    fn text<'r>(raw: &'r LazyValue<'_>) -> &'r str {
        raw.as_raw_str()
    }

    fn write(value: &impl Serialize, out: &mut Vec<u8>) {
        sonic_rs::to_writer(out, value).expect("a Vec takes all bytes");
    }
}
