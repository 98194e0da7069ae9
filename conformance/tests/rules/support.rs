//! What the tests of rules share: the codec's answer to a capture, and lists that must shrink.

use std::path::{Path, PathBuf};

use cloudevents_nl_codec::{Binding, DecodeErrorKind, Decoder, HTTP, Header, KAFKA, Message, NATS};
use cloudevents_nl_conformance::{Capture, Protocol};
use serde::Serialize;
use serde::de::DeserializeOwned;

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

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/rules")
        .join(name)
}

/// A list of what is not there yet. It must match exactly, so it can only shrink.
pub(crate) fn list<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let text = std::fs::read(path(name)).unwrap_or_else(|_| b"[]".to_vec());
    serde_json::from_slice(&text).unwrap()
}

/// Holds a list against what is missing. `CENL_WRITE_LISTS=1` writes it instead.
pub(crate) fn assert_list<T: PartialEq + Serialize + std::fmt::Debug>(
    name: &str,
    listed: &[T],
    missing: &[T],
) {
    if std::env::var_os("CENL_WRITE_LISTS").is_some() {
        let text = serde_json::to_string_pretty(missing).unwrap();
        std::fs::write(path(name), text + "\n").unwrap();
        return;
    }
    let only = |some: &[T], others: &[T]| {
        some.iter()
            .filter(|one| !others.contains(one))
            .map(|one| format!("{one:?}"))
            .collect::<Vec<_>>()
    };
    let (unlisted, stale) = (only(missing, listed), only(listed, missing));
    assert!(
        unlisted.is_empty(),
        "missing, and not in {name}: {unlisted:#?}"
    );
    assert!(
        stale.is_empty(),
        "there now, so take them out of {name} (CENL_WRITE_LISTS=1): {stale:#?}"
    );
}
