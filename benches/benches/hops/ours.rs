//! Each hop with this codec, as `codec/examples` does it.

use std::borrow::Cow;

use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, Decoder, Event, HTTP, Header, KAFKA, NATS, encode, encode_http,
};
use http::{HeaderMap, Request};
use rdkafka::Message as _;
use rdkafka::message::{Headers, OwnedHeaders, OwnedMessage};

use super::Record;

/// The value is the bytes of the body: an event borrows from what came in.
pub(crate) fn http_to_kafka(headers: &HeaderMap, body: &Bytes) -> Record<Bytes> {
    let headers = headers.iter().map(Header::from);
    let event = Decoder::default().decode(&HTTP, headers, Some(body));
    record(&event.expect("a valid event"), body)
}

pub(crate) fn kafka_to_http(message: &OwnedMessage) -> Request<Vec<u8>> {
    let headers = message.headers().into_iter().flat_map(Headers::iter);
    let headers = headers.map(|header| Header {
        name: header.key,
        value: header.value,
    });
    let event = Decoder::default().decode(&KAFKA, headers, message.payload());
    let event = event.expect("a valid event");
    let (headers, body) = encode_http(&event, ContentMode::Structured).expect("it has room");
    let mut request = Request::new(body.into_owned());
    *request.headers_mut() = headers;
    request
}

pub(crate) fn nats_to_kafka(message: &async_nats::Message) -> Record<Bytes> {
    let headers = message.headers.iter().flat_map(async_nats::HeaderMap::iter);
    let headers = headers.flat_map(|(name, all)| all.iter().map(move |value| (name, value)));
    let event = Decoder::default().decode(&NATS, headers.map(Header::from), Some(&message.payload));
    record(&event.expect("a valid event"), &message.payload)
}

fn record(event: &Event<'_>, body: &Bytes) -> Record<Bytes> {
    let mut headers = Some(OwnedHeaders::new());
    let value = encode(event, &KAFKA, ContentMode::Binary, |key, value| {
        let header = rdkafka::message::Header {
            key,
            value: Some(value),
        };
        headers = headers.take().map(|headers| headers.insert(header));
    });
    let value = value
        .expect("Kafka carries any event")
        .map(|value| match value {
            Cow::Borrowed(value) => body.slice_ref(value),
            Cow::Owned(value) => value.into(),
        });
    (headers.unwrap_or_default(), value)
}
