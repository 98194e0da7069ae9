//! A message of a protocol as one line of JSON:
//! `{"protocol":"kafka","headers":[["ce_id","1"]],"body_base64":"e30="}`.
//!
//! A header value is text, null, or `{"base64": "…"}` where it is no text; a missing body is
//! Kafka's null value. `defect` says that the transport could not read all of it.

use base64_simd::STANDARD;
use bytes::Bytes;
use cloudevents_nl_codec::{Binding, HTTP, HeaderList, KAFKA, NATS};
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use crate::delivery::{Position, Received};

/// The defect of a message that could not be read whole when its line was written.
pub(crate) const CUT: &str = "captured-in-part";

/// Never holds a piece of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CaptureError {
    #[error("not JSON at line {line}, column {column} of the document")]
    NotJson { line: usize, column: usize },
    #[error("not in the shape of a capture at line {line}, column {column} of the document")]
    WrongShape { line: usize, column: usize },
    #[error("the protocol is none of kafka, http and nats")]
    UnknownProtocol,
    #[error("the {0} is not base64")]
    NotBase64(&'static str),
    #[error("the timestamp is not one of RFC 3339")]
    NotATime,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct JsonLine {
    protocol: String,
    /// For people: where a message was taken from says nothing about where it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defect: Option<String>,
    headers: Vec<(String, Option<HeaderValue>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum HeaderValue {
    Text(String),
    Bytes { base64: String },
}

impl HeaderValue {
    fn of(bytes: &[u8]) -> Self {
        match str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes {
                base64: STANDARD.encode_to_string(bytes),
            },
        }
    }
}

pub(crate) fn is_meant(text: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Members {
        specversion: Option<IgnoredAny>,
        protocol: Option<IgnoredAny>,
        headers: Option<IgnoredAny>,
    }
    serde_json::from_slice::<Members>(text).is_ok_and(|members| {
        members.specversion.is_none() && (members.protocol.is_some() || members.headers.is_some())
    })
}

pub(crate) fn binding(protocol: &str) -> Option<&'static Binding> {
    let mut bindings = [&KAFKA, &HTTP, &NATS].into_iter();
    bindings.find(|binding| binding.protocol == protocol)
}

pub(crate) fn read(text: &[u8], position: Position) -> Result<Received, CaptureError> {
    let written: JsonLine = serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        match error.classify() {
            Category::Data => CaptureError::WrongShape { line, column },
            _ => CaptureError::NotJson { line, column },
        }
    })?;
    let bytes = |part, text: String| {
        let bytes = STANDARD.decode_to_vec(text);
        bytes.map_err(|_| CaptureError::NotBase64(part))
    };
    let binding = binding(&written.protocol).ok_or(CaptureError::UnknownProtocol)?;
    let mut headers = HeaderList::default();
    for (name, value) in written.headers {
        match value {
            None => headers.push(&name, None),
            Some(HeaderValue::Text(text)) => headers.push(&name, Some(text.as_bytes())),
            Some(HeaderValue::Bytes { base64 }) => {
                headers.push(&name, Some(&bytes("header", base64)?))
            }
        }
    }
    let body = written.body_base64.map(|text| bytes("body", text));
    let key = written.key_base64.map(|text| bytes("key", text));
    let time = written.timestamp.map(|text| text.parse::<Timestamp>());
    let time = time.transpose().map_err(|_| CaptureError::NotATime)?;
    Ok(Received {
        binding,
        headers,
        key: key.transpose()?.map(Bytes::from),
        // Only Kafka can tell no body from an empty one.
        body: body
            .transpose()?
            .or_else(|| (!binding.has_null_body).then(Vec::new))
            .map(Bytes::from),
        timestamp_ms: time.map(Timestamp::as_millisecond),
        position,
        defect: written.defect.map(|_| CUT),
    })
}

/// A position without a place is left out.
pub(crate) fn line(message: &Received) -> Vec<u8> {
    let base64 = |bytes: &Bytes| STANDARD.encode_to_string(bytes);
    // A time that no calendar knows is left out.
    let time = (message.timestamp_ms).and_then(|time| Timestamp::from_millisecond(time).ok());
    let headers = message.headers.iter();
    let headers = headers.map(|header| (header.name.to_owned(), header.value.map(HeaderValue::of)));
    let has_place = !message.position.place.is_empty();
    let written = JsonLine {
        protocol: message.binding.protocol.to_owned(),
        position: has_place.then(|| message.position.to_string()),
        timestamp: time.map(|time| time.to_string()),
        defect: message.defect.map(str::to_owned),
        headers: headers.collect(),
        key_base64: message.key.as_ref().map(base64),
        body_base64: message.body.as_ref().map(base64),
    };
    let mut line = serde_json::to_vec(&written).expect("text and memory never fail");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(text: &[u8]) -> Result<Received, CaptureError> {
        let position = Position::numbered("file:letters:", 1);
        super::read(text, position)
    }

    #[test]
    fn keeps_null_values_and_tells_no_body_from_an_empty_one() {
        let read = |text: &str| read(text.as_bytes()).unwrap();
        let kafka = read(r#"{"protocol":"kafka","headers":[["a",null],["a","é"]]}"#);
        let mut expected = HeaderList::default();
        expected.push("a", None);
        expected.push("a", Some("é".as_bytes()));
        assert_eq!(kafka.headers, expected);
        assert_eq!(kafka.body, None);
        assert_eq!(
            read(r#"{"protocol":"kafka","headers":[],"body_base64":""}"#).body,
            Some(Bytes::new())
        );
        assert_eq!(
            read(r#"{"protocol":"nats","headers":[]}"#).body,
            Some(Bytes::new())
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut headers = HeaderList::default();
        headers.push("a", Some(b"\xff\x00"));
        headers.push("a", None);
        headers.push("b", Some("é\n".as_bytes()));
        let mut message = Received {
            binding: &KAFKA,
            headers,
            body: Some(Bytes::from_static(b"\xfe")),
            key: Some(Bytes::new()),
            timestamp_ms: Some(1_763_730_000_123),
            position: Position::numbered("kafka:zaken/0/", 7),
            defect: None,
        };
        let text = line(&message);
        let position = br#""position":"kafka:zaken/0/7""#;
        assert!(text.windows(position.len()).any(|part| part == position));
        assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1);
        let received = read(&text).unwrap();
        assert_eq!(received.binding.protocol, "kafka");
        assert_eq!(received.headers, message.headers);
        assert_eq!(received.body, message.body);
        assert_eq!(received.key, message.key);
        assert_eq!(received.timestamp_ms, message.timestamp_ms);
        assert_eq!(received.defect, None);
        message.defect = Some("header-name-not-utf8");
        assert_eq!(read(&line(&message)).unwrap().defect, Some(CUT));
    }

    #[test]
    fn says_what_is_wrong_without_repeating_it() {
        for (text, expected) in [
            (
                r#"{"protocol":"hush","headers":[]}"#,
                CaptureError::UnknownProtocol,
            ),
            (
                r#"{"protocol":"http","headers":[],"body_base64":"hush*"}"#,
                CaptureError::NotBase64("body"),
            ),
            (
                r#"{"protocol":"http","headers":[["a",{"base64":"hush*"}]]}"#,
                CaptureError::NotBase64("header"),
            ),
            (
                r#"{"protocol":"kafka","headers":[],"key_base64":"hush*"}"#,
                CaptureError::NotBase64("key"),
            ),
            (
                r#"{"protocol":"kafka","headers":[],"timestamp":"hush"}"#,
                CaptureError::NotATime,
            ),
            (
                r#"{"protocol":"http","headers":"hush"}"#,
                CaptureError::WrongShape {
                    line: 1,
                    column: 35,
                },
            ),
            (
                r#"{"protocol":"http","headers":[["hush","#,
                CaptureError::NotJson {
                    line: 1,
                    column: 38,
                },
            ),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!(error, expected);
            assert!(!error.to_string().contains("hush"));
        }
    }

    #[test]
    fn an_event_is_no_capture() {
        for (text, expected) in [
            (r#"{"specversion":"1.0","protocol":"x"}"#, false),
            (r#"{"protocol":"kafka"}"#, true),
            (r#"{"headers":[]}"#, true),
            (r#"{"id":"1"}"#, false),
            ("[]", false),
            ("{", false),
        ] {
            assert_eq!(is_meant(text.as_bytes()), expected, "{text}");
        }
    }
}
