//! The codec of this project, tried like any other.

use std::borrow::Cow;

use cloudevents_nl_codec::{
    BATCHED_JSON, BatchElement, Binding, ContentMode, Data, DecodeError, DecodeErrorKind, Decoder,
    Event, HTTP, HeaderList, KAFKA, NATS, STRUCTURED_JSON, encode, encode_structured, join_batch,
};

use super::{Codec, Decoded, Described, Payload, PayloadKind, Refusal};
use crate::capture::{Capture, Header, Protocol};
use crate::reading::Mode;

/// `cloudevents-nl-codec`, with its usual limits and register.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ours;

impl Codec for Ours {
    type Event = Event<'static>;

    fn decode(&self, message: &Capture) -> Result<Decoded<Self::Event>, Refusal> {
        let decoder = Decoder::default();
        let body = message.body();
        let Some(binding) = binding(message.protocol) else {
            // A file has no headers, but for the one that says it is a batch.
            return if message.headers.is_empty() {
                let event = decoder.decode_structured(body).map_err(refusal)?;
                Ok(Decoded::Event(event.into_owned()))
            } else {
                Ok(owned_batch(decoder.decode_batch(body).map_err(refusal)?))
            };
        };
        use cloudevents_nl_codec::Decoded as Ours;
        let decoded = decoder.decode_any(binding, lent(message), message.body.as_deref());
        Ok(match decoded.map_err(refusal)? {
            Ours::Structured(event) | Ours::Binary(event) => Decoded::Event(event.into_owned()),
            Ours::Batch(batch) => owned_batch(batch),
        })
    }

    fn describe(&self, event: &Self::Event) -> Described {
        let mut described = Described::default();
        for (name, value) in event.attributes() {
            described.set(name, Some(value.ty()), value.text());
        }
        let kind = match event.data() {
            Data::None => return described,
            Data::Json(_) => PayloadKind::Json,
            Data::Text(_) => PayloadKind::Text,
            Data::Binary(_) => PayloadKind::Binary,
        };
        // NATS can carry every content type in binary mode.
        let body = encode(event, &NATS, ContentMode::Binary, |_, _| {});
        let body = body.ok().flatten().unwrap_or_default();
        let (kind, bytes) = (Some(kind), body.into_owned());
        described.data = Some(Payload { kind, bytes });
        described
    }

    fn encode(
        &self,
        event: &Self::Event,
        protocol: Protocol,
        mode: Mode,
    ) -> Result<Capture, Refusal> {
        if let (Mode::Binary, Some(binding)) = (mode, binding(protocol)) {
            let mut headers = HeaderList::default();
            let body = encode(event, binding, ContentMode::Binary, headers.sink());
            let body = body.map_err(|error| Refusal::Invalid(error.to_string()))?;
            let mut capture = Capture::new(protocol);
            capture.headers = headers.iter().map(owned).collect();
            capture.body = body.map(Cow::into_owned);
            return Ok(capture);
        }
        let mut text = Vec::new();
        encode_structured(event, &mut text);
        let announced = match mode {
            Mode::Structured => STRUCTURED_JSON,
            Mode::Batched => {
                let element = std::mem::take(&mut text);
                join_batch([&*element], &mut text);
                BATCHED_JSON
            }
            _ => return Err(Refusal::NotSupported(format!("{mode:?} on {protocol:?}"))),
        };
        Ok(match (binding(protocol), mode) {
            (Some(binding), _) => Capture {
                body: Some(text),
                ..Capture::new(protocol).with_header(binding.content_type, announced)
            },
            (None, Mode::Batched) => Capture::batch(text),
            (None, _) => Capture::event(text),
        })
    }

    fn mode(&self, message: &Capture) -> Option<Mode> {
        let mode = Decoder::mode(binding(message.protocol)?, lent(message));
        Some(match mode {
            ContentMode::Structured => Mode::Structured,
            ContentMode::Binary => Mode::Binary,
            ContentMode::Batched => Mode::Batched,
        })
    }
}

fn binding(protocol: Protocol) -> Option<&'static Binding> {
    match protocol {
        Protocol::File => None,
        Protocol::Kafka => Some(&KAFKA),
        Protocol::Nats => Some(&NATS),
        Protocol::Http => Some(&HTTP),
    }
}

fn lent(message: &Capture) -> impl Iterator<Item = cloudevents_nl_codec::Header<'_>> {
    let headers = message.headers.iter();
    headers.map(|header| cloudevents_nl_codec::Header {
        name: &header.name,
        value: header.value.as_deref(),
    })
}

fn owned_batch(batch: Vec<BatchElement<'_>>) -> Decoded<Event<'static>> {
    let events = batch.into_iter().map(|element| element.event.into_owned());
    Decoded::Batch(events.collect())
}

fn owned(header: cloudevents_nl_codec::Header<'_>) -> Header {
    let (name, value) = (header.name.to_owned(), header.value.map(<[u8]>::to_vec));
    Header { name, value }
}

fn refusal(error: DecodeError) -> Refusal {
    let text = error.to_string();
    match error.kind {
        DecodeErrorKind::NotACloudEvent => Refusal::NotAnEvent(text),
        DecodeErrorKind::UnsupportedFormat => Refusal::UnsupportedFormat(text),
        DecodeErrorKind::TooLarge => Refusal::TooLarge(text),
        _ => Refusal::Invalid(text),
    }
}
