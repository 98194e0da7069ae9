//! The engines compared: each translates events between structured JSON and Kafka's binary mode.
//!
//! An engine lends its result to a closure instead of returning it, so that one that copies nothing
//! is not made to copy. All engines but the SDK write headers into the same reused [`Headers`]; the
//! SDK's serializers consume themselves, so it fills the owned list its own bindings would make.

mod codec;
mod members;
mod raw;
mod sdk;
mod serde_raw_value;
mod simd_tape;
mod sonic;

use cloudevents_nl_codec::Header;

use crate::corpus::Message;

pub use codec::Codec;
pub use raw::Raw;
pub use sdk::Sdk;
pub use serde_raw_value::SerdeRawValue;
pub use simd_tape::SimdTape;
pub use sonic::Sonic;

/// A translator of events.
pub trait Engine {
    /// The name in reports.
    fn name(&self) -> &'static str;

    /// Whether `data` keeps its bytes; if not, it is parsed and written anew.
    fn keeps_bytes(&self) -> bool;

    /// Structured text to headers and body.
    ///
    /// # Panics
    /// When the engine refuses the text: the corpus holds valid events only.
    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8]));

    /// Headers and body to structured text, the body checked to be JSON.
    ///
    /// # Panics
    /// When the engine refuses the message: the corpus holds valid events only.
    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8]));
}

/// How a body is spelled in a structured event, by its content type.
enum Shape {
    Json,
    Text,
    Bytes,
}

impl Shape {
    fn of(message: &Message<'_>) -> Self {
        let is_content_type = |header: &&Header<'_>| header.name == "content-type";
        let header = message.headers.iter().find(is_content_type);
        match header.and_then(|header| header.value) {
            Some(b"application/json") => Self::Json,
            Some(b"application/xml") => Self::Text,
            _ => Self::Bytes,
        }
    }
}

/// Hands out headers one by one.
pub trait HeaderIterator {
    /// The next header, as name and value.
    fn next_header(&mut self) -> Option<(&str, &[u8])>;
}

/// All engines, ours first, the one that the others are compared with second.
#[must_use]
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Codec::default()),
        Box::new(Sdk),
        Box::new(Raw::<SerdeRawValue>::default()),
        Box::new(SimdTape::default()),
        Box::new(Raw::<Sonic>::default()),
    ]
}

/// A header list in two buffers that are used again for the next event.
#[derive(Debug, Default)]
pub struct Headers {
    bytes: Vec<u8>,
    ends: Vec<(usize, usize)>,
}

impl Headers {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends the header that carries `attribute` in Kafka's binary mode.
    fn push_attribute(&mut self, attribute: &str, value: &str) {
        if attribute == "datacontenttype" {
            self.header("content-type", value);
        } else {
            self.bytes.extend_from_slice(b"ce_");
            self.header(attribute, value);
        }
    }

    fn iter(&self) -> Lent<'_> {
        Lent {
            headers: self,
            next: 0,
            start: 0,
        }
    }
}

impl Headers {
    fn header(&mut self, name: &str, value: &str) {
        self.bytes.extend_from_slice(name.as_bytes());
        let name_end = self.bytes.len();
        self.bytes.extend_from_slice(value.as_bytes());
        self.ends.push((name_end, self.bytes.len()));
    }
}

struct Lent<'a> {
    headers: &'a Headers,
    next: usize,
    start: usize,
}

impl HeaderIterator for Lent<'_> {
    fn next_header(&mut self) -> Option<(&str, &[u8])> {
        let &(name_end, value_end) = self.headers.ends.get(self.next)?;
        let name = &self.headers.bytes[self.start..name_end];
        let value = &self.headers.bytes[name_end..value_end];
        self.next += 1;
        self.start = value_end;
        Some((str::from_utf8(name).expect("names enter as text"), value))
    }
}
