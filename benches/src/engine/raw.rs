//! Libraries that can leave a value as raw text, as a careful user would drive them through serde: a
//! borrowing visitor, `data` as it stands.

use std::marker::PhantomData;

use base64_simd::STANDARD;
use serde::de::{Deserialize, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::members::{Members, Text};
use super::{Engine, HeaderIterator, Headers, Shape};
use crate::corpus::Message;

/// What such libraries differ in.
pub(super) trait Library {
    /// The name in reports.
    const NAME: &'static str;

    /// A value as raw text, known to be JSON as far as the library looks.
    type Raw<'t>: Deserialize<'t> + Serialize;

    /// Visits the one object that the text is.
    fn read<'t, V: Visitor<'t>>(text: &'t [u8], visitor: V) -> V::Value;

    /// Reads bytes that are one value, which is left as it is.
    fn raw(body: &[u8]) -> Self::Raw<'_>;

    /// Reads a text that is one value.
    fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> T;

    /// The text of a raw value.
    fn text<'r>(raw: &'r Self::Raw<'_>) -> &'r str;

    /// Appends a value to `out`.
    fn write(value: &impl Serialize, out: &mut Vec<u8>);
}

/// An engine on such a library. Of the CloudEvents rules it only looks for the four required names.
#[derive(Debug)]
pub struct Raw<L> {
    headers: Headers,
    text: Vec<u8>,
    library: PhantomData<L>,
}

impl<L> Default for Raw<L> {
    fn default() -> Self {
        Self {
            headers: Headers::default(),
            text: Vec::new(),
            library: PhantomData,
        }
    }
}

impl<L: Library> Engine for Raw<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn keeps_bytes(&self) -> bool {
        true
    }

    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8])) {
        self.headers.clear();
        let found = L::read(text, Members::<L::Raw<'_>>::into(&mut self.headers));
        let headers = &mut self.headers.iter();
        match (found.data, found.base64) {
            (Some(raw), _) if found.is_json => take(headers, L::text(&raw).as_bytes()),
            (Some(raw), _) => {
                let text: Text<'_> = L::parse(L::text(&raw));
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
        L::write(&Structured::<L>(message, PhantomData), &mut self.text);
        take(&self.text);
    }
}

/// A binary message that is written as a structured event.
struct Structured<'m, L>(&'m Message<'m>, PhantomData<L>);

impl<L: Library> Serialize for Structured<'_, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let message = self.0;
        let mut map = serializer.serialize_map(None)?;
        for header in message.headers {
            let name = header.name.strip_prefix("ce_").unwrap_or("datacontenttype");
            let value = str::from_utf8(header.value.unwrap_or_default()).expect("values are text");
            map.serialize_entry(name, value)?;
        }
        let body = message.body.unwrap_or_default();
        match Shape::of(message) {
            Shape::Json => map.serialize_entry("data", &L::raw(body))?,
            Shape::Text => {
                map.serialize_entry("data", str::from_utf8(body).expect("a body of text"))?;
            }
            Shape::Bytes => map.serialize_entry("data_base64", &STANDARD.encode_to_string(body))?,
        }
        map.end()
    }
}
