//! What the steps make of messages of other writers: the dialects of `tests/dialects.json`, and anything
//! that can be read at all, over hops from every protocol and mode to every other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dialects;
mod hops;
mod many;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::{
    Binding, Data, DecodeError, Decoder, HTTP, HeaderList, KAFKA, Leniency, NATS, Value, encode,
};

use jiff::Timestamp;

use super::*;
use crate::delivery::Position;
use crate::route::target::{RecordKey, WriteMode};

/// Where a hop can lead to.
const SINKS: [(&Binding, WriteMode); 6] = [
    (&KAFKA, WriteMode::Structured),
    (&KAFKA, WriteMode::Binary),
    (&HTTP, WriteMode::Structured),
    (&HTTP, WriteMode::Binary),
    (&NATS, WriteMode::Structured),
    (&NATS, WriteMode::Binary),
];

fn route_config((binding, mode): (&'static Binding, WriteMode)) -> RouteConfig {
    RouteConfig {
        logs_deliveries: false,
        traces: None,
        name: "test".into(),
        address: "http receiver.example:443 /hook".into(),
        dead_letter_address: "kafka broker:9092 dead".into(),
        decoder: Decoder::default().with_leniency(Leniency::INTERMEDIARY.with_opaque_data(true)),
        check: None,
        filter: None,
        target: Target {
            binding,
            mode,
            record_key: RecordKey::None,
            forward_headers: Vec::new(),
            message_id_scope: None,
        },
        order: Order::None,
        retry: RetryPolicy::default(),
        outcomes: BTreeMap::new(),
        on_error: OnError::Hold,
        stop_after: 100,
        in_flight_max: 1,
        batch: Capacity::SINGLE,
    }
}

fn received(binding: &'static Binding, headers: HeaderList, body: Option<Vec<u8>>) -> Received {
    // HTTP and NATS have at least an empty body.
    let body = body.or_else(|| (!binding.has_null_body).then(Vec::new));
    Received {
        binding,
        headers,
        key: None,
        body: body.map(Bytes::from),
        timestamp_ms: None,
        position: Position::numbered("http:", 0),
        defect: None,
    }
}

fn prepare(config: &RouteConfig, message: &Received) -> Result<Option<Outgoing>, Refusal> {
    let now = Now {
        elapsed: Duration::ZERO,
        wall: Timestamp::UNIX_EPOCH,
    };
    config.prepare(message, now, &mut Tally::default()).written
}

/// What the next process receives where a hop leads to.
fn hop(message: &Received, sink: (&'static Binding, WriteMode)) -> Result<Received, Refusal> {
    let outgoing = prepare(&route_config(sink), message)?.unwrap();
    let body = outgoing.body.map(|body| body.to_vec());
    Ok(received(sink.0, outgoing.headers, body))
}

/// Attributes as text, and data as bytes: what an event says, whatever carries it.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    attributes: BTreeMap<String, String>,
    data: Option<Vec<u8>>,
}

impl Said {
    fn of(event: &Event<'_>) -> Self {
        let text = |(name, value): (&str, Value<'_>)| (name.to_owned(), value.text().into_owned());
        let mut attributes: BTreeMap<_, _> = event.attributes().map(text).collect();
        let is_json = |ty: &String| cloudevents_nl_codec::is_json(ty);
        let data = match event.data() {
            Data::None => None,
            Data::Binary(bytes) if attributes.get("datacontenttype").is_some_and(is_json) => {
                Some(bytes.trim_ascii().to_vec())
            }
            Data::Binary(bytes) => Some(bytes.to_vec()),
            Data::Json(json) => {
                let ty = || "application/json".to_owned();
                attributes
                    .entry("datacontenttype".into())
                    .or_insert_with(ty);
                Some(json.as_str().trim().into())
            }
            // In the charset that the content type names; on Kafka attributes are never coded.
            Data::Text(text) => match encode(event, &KAFKA, ContentMode::Binary, |_, _| {}) {
                Ok(body) => body.map(Cow::into_owned),
                Err(_) => Some(text.as_bytes().to_vec()),
            },
        };
        Self { attributes, data }
    }

    fn read(message: &Received) -> Result<Self, DecodeError> {
        let decoder =
            Decoder::default().with_leniency(Leniency::INTERMEDIARY.with_opaque_data(true));
        let decoded = message.decode(&decoder)?;
        Ok(Self::of(&decoded.into_events().next().unwrap()))
    }
}

#[test]
fn the_mode_that_is_written_follows_what_headers_can_carry() {
    let event = |binding: &'static Binding, others: &[(&str, &str)], body: Option<&[u8]>| {
        let mut headers = HeaderList::default();
        let required = [
            ("specversion", "1.0"),
            ("id", "1"),
            ("source", "/a"),
            ("type", "b"),
        ];
        for (name, value) in required.iter().chain(others) {
            headers.push(&format!("{}{name}", binding.prefix), Some(value.as_bytes()));
        }
        received(binding, headers, body.map(<[u8]>::to_vec))
    };
    let irregular = [("dataschema", "#/definitions/x")];
    let typed = [("time", "today"), ("datacontenttype", "text/plain")];
    let with_data = Some(&b"x"[..]);
    for (message, sink, expected) in [
        (event(&KAFKA, &[], None), &KAFKA, ContentMode::Binary),
        (event(&KAFKA, &[], None), &NATS, ContentMode::Binary),
        (event(&KAFKA, &[], None), &HTTP, ContentMode::Structured),
        (event(&KAFKA, &[], Some(b"")), &KAFKA, ContentMode::Binary),
        (
            event(&KAFKA, &[], Some(b"")),
            &NATS,
            ContentMode::Structured,
        ),
        (
            event(&KAFKA, &irregular, with_data),
            &KAFKA,
            ContentMode::Binary,
        ),
        (
            event(&KAFKA, &irregular, with_data),
            &NATS,
            ContentMode::Structured,
        ),
        (
            event(&NATS, &irregular, with_data),
            &HTTP,
            ContentMode::Structured,
        ),
        (event(&NATS, &typed, with_data), &HTTP, ContentMode::Binary),
        // A delivery has a content type.
        (event(&NATS, &[], with_data), &HTTP, ContentMode::Structured),
    ] {
        let arrived = hop(&message, (sink, WriteMode::Binary)).unwrap();
        let mode = Decoder::mode(sink, arrived.headers.iter());
        assert_eq!(mode, expected, "{message:?} to {}", sink.protocol);
    }
}

#[test]
fn data_is_copied_between_headers_and_judged_for_everybody_else() {
    let mut headers = HeaderList::default();
    let names = [
        "ce_specversion",
        "ce_id",
        "ce_source",
        "ce_type",
        "content-type",
    ];
    for (name, value) in names
        .into_iter()
        .zip(["1.0", "1", "/a", "b", "application/json"])
    {
        headers.push(name, Some(value.as_bytes()));
    }
    let message = received(&KAFKA, headers, Some(b"{no json".to_vec()));
    for sink in SINKS {
        match hop(&message, sink) {
            Ok(arrived) => {
                assert_eq!(sink.1, WriteMode::Binary);
                assert_eq!(arrived.body, message.body);
            }
            Err(refusal) => {
                assert_eq!(sink.1, WriteMode::Structured);
                assert!(matches!(refusal, Refusal::Undecodable(_)));
            }
        }
    }
}
