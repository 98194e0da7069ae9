//! This project's codec.

use cloudevents_nl_codec::{ContentMode, Decoder, KAFKA, encode, encode_structured};

use super::{Engine, HeaderIterator, Headers};
use crate::corpus::Message;

/// `cloudevents-nl-codec`: every attribute checked, every byte of `data` validated and kept.
#[derive(Debug, Default)]
pub struct Codec {
    decoder: Decoder,
    headers: Headers,
    text: Vec<u8>,
}

impl Codec {
    /// With a decoder of one's own.
    #[must_use]
    pub fn reading_by(decoder: Decoder) -> Self {
        Self {
            decoder,
            ..Self::default()
        }
    }
}

impl Engine for Codec {
    fn name(&self) -> &'static str {
        "cloudevents-nl-codec"
    }

    fn keeps_bytes(&self) -> bool {
        true
    }

    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8])) {
        let event = self
            .decoder
            .decode_structured(text)
            .expect("the event is valid");
        self.headers.clear();
        let body = encode(&event, &KAFKA, ContentMode::Binary, |name, value| {
            self.headers.header(name, value);
        })
        .expect("Kafka carries any event");
        take(
            &mut self.headers.iter(),
            body.as_deref().unwrap_or_default(),
        );
    }

    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8])) {
        let event = self
            .decoder
            .decode(&KAFKA, message.headers.iter().copied(), message.body)
            .expect("the message is valid");
        self.text.clear();
        encode_structured(&event, &mut self.text);
        take(&self.text);
    }
}
