//! The codec's answer to a capture.

use cloudevents_nl_codec::{Binding, DecodeErrorKind, Decoder, HTTP, Header, KAFKA, Message, NATS};
use cloudevents_nl_conformance::{Capture, Protocol};

/// Why the codec hands out no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is no event.
    NotAnEvent,
    /// It is one in a format that is not JSON.
    Unsupported,
    /// It is larger than a limit.
    TooLarge,
    /// A rule is broken.
    Invalid,
}

/// The codec's answer.
pub(crate) fn decode(capture: &Capture) -> Result<(), Refusal> {
    let decoder = Decoder::default();
    let refusal = |kind| match kind {
        DecodeErrorKind::NotACloudEvent => Refusal::NotAnEvent,
        DecodeErrorKind::UnsupportedFormat => Refusal::Unsupported,
        DecodeErrorKind::TooLarge => Refusal::TooLarge,
        _ => Refusal::Invalid,
    };
    let binding: &Binding = match capture.protocol {
        Protocol::Kafka => &KAFKA,
        Protocol::Nats => &NATS,
        Protocol::Http => &HTTP,
        _ if capture.headers.is_empty() => {
            let event = decoder.decode_structured(capture.body());
            return event.map(drop).map_err(|error| refusal(error.kind));
        }
        _ => {
            let batch = decoder.decode_batch(capture.body());
            return batch.map(drop).map_err(|error| refusal(error.kind));
        }
    };
    let headers: Vec<_> = capture
        .headers
        .iter()
        .map(|header| Header {
            name: &header.name,
            value: header.value.as_deref(),
        })
        .collect();
    let message = Message {
        headers: &headers,
        body: capture.body.as_deref(),
    };
    decoder
        .decode(binding, &message)
        .map(drop)
        .map_err(|error| refusal(error.kind))
}
