//! A message of a protocol as one line of JSON, the form in which messages leave and enter shells
//! and files:
//! `{"protocol":"kafka","headers":[["ce_id","1"]],"body_base64":"e30="}`.
//!
//! The value of a header is text, null, or `{"base64": "…"}` where it is no text; a missing body is
//! Kafka's null value. `key_base64`, `timestamp` and `position` are there where the message had
//! them, and `defect` says that the transport could not read all of it.

use base64_simd::STANDARD;
use cloudevents_nl_codec::{Binding, HTTP, HeaderList, KAFKA, NATS};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

/// A message read from a line.
#[derive(Debug)]
pub(crate) struct Capture {
    /// How its protocol spells events.
    pub(crate) binding: &'static Binding,
    /// Headers in order, repeats and nulls included.
    pub(crate) headers: HeaderList,
    /// The body; `None` is a Kafka null value.
    pub(crate) body: Option<Vec<u8>>,
    /// The Kafka record key.
    pub(crate) key: Option<Vec<u8>>,
    /// The time of the message, in milliseconds since 1970.
    pub(crate) timestamp_ms: Option<i64>,
    /// Whether the transport could not read all of the message.
    pub(crate) is_defective: bool,
}

/// A message to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// How its protocol spells events.
    pub(crate) binding: &'a Binding,
    /// Its headers.
    pub(crate) headers: &'a HeaderList,
    /// Its body.
    pub(crate) body: Option<&'a [u8]>,
    /// Its Kafka record key.
    pub(crate) key: Option<&'a [u8]>,
    /// Its time, in milliseconds since 1970.
    pub(crate) timestamp_ms: Option<i64>,
    /// Where it lies.
    pub(crate) position: Option<&'a str>,
    /// Why the transport could not read all of it.
    pub(crate) defect: Option<&'a str>,
}

/// Why a line is no message. Never holds a piece of the line.
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    protocol: String,
    headers: Vec<(String, Option<Value>)>,
    #[serde(default)]
    body_base64: Option<String>,
    #[serde(default)]
    key_base64: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    // For people: where a message lay says nothing about where it goes.
    #[serde(default, rename = "position")]
    _position: Option<String>,
    #[serde(default)]
    defect: Option<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    protocol: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    defect: Option<&'a str>,
    headers: Vec<(&'a str, Option<Value>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

/// The value of a header.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Bytes { base64: String },
}

impl Value {
    fn of(bytes: &[u8]) -> Self {
        match str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes {
                base64: STANDARD.encode_to_string(bytes),
            },
        }
    }

    fn into_bytes(self) -> Result<Vec<u8>, CaptureError> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Bytes { base64 } => bytes("header", base64),
        }
    }
}

fn bytes(part: &'static str, base64: String) -> Result<Vec<u8>, CaptureError> {
    STANDARD
        .decode_to_vec(base64)
        .map_err(|_| CaptureError::NotBase64(part))
}

fn binding(protocol: &str) -> Option<&'static Binding> {
    [&KAFKA, &HTTP, &NATS]
        .into_iter()
        .find(|binding| binding.protocol == protocol)
}

impl Capture {
    /// Whether the text is meant as a capture rather than as an event.
    pub(crate) fn is_meant(text: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Members {
            specversion: Option<serde::de::IgnoredAny>,
            protocol: Option<serde::de::IgnoredAny>,
            headers: Option<serde::de::IgnoredAny>,
        }
        serde_json::from_slice::<Members>(text).is_ok_and(|members| {
            members.specversion.is_none()
                && (members.protocol.is_some() || members.headers.is_some())
        })
    }

    pub(crate) fn read(text: &[u8]) -> Result<Self, CaptureError> {
        let read: Read = serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            match error.classify() {
                Category::Data => CaptureError::WrongShape { line, column },
                _ => CaptureError::NotJson { line, column },
            }
        })?;
        let binding = binding(&read.protocol).ok_or(CaptureError::UnknownProtocol)?;
        let mut headers = HeaderList::default();
        for (name, value) in read.headers {
            let value = value.map(Value::into_bytes).transpose()?;
            headers.push(&name, value.as_deref());
        }
        let body = read.body_base64.map(|text| bytes("body", text));
        let key = read.key_base64.map(|text| bytes("key", text));
        let time = read.timestamp.map(|text| text.parse::<Timestamp>());
        Ok(Self {
            binding,
            headers,
            // Only Kafka can tell no body from an empty one.
            body: body
                .transpose()?
                .or_else(|| (!binding.has_null_body).then(Vec::new)),
            key: key.transpose()?,
            timestamp_ms: time
                .transpose()
                .map_err(|_| CaptureError::NotATime)?
                .map(Timestamp::as_millisecond),
            is_defective: read.defect.is_some(),
        })
    }
}

impl Line<'_> {
    /// Appends the line.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let base64 = |bytes: &[u8]| STANDARD.encode_to_string(bytes);
        // A time that no calendar knows is left out.
        let time = self
            .timestamp_ms
            .and_then(|time| Timestamp::from_millisecond(time).ok());
        let headers = self.headers.iter();
        let written = Written {
            protocol: self.binding.protocol,
            position: self.position,
            timestamp: time.map(|time| time.to_string()),
            defect: self.defect,
            headers: headers
                .map(|header| (header.name, header.value.map(Value::of)))
                .collect(),
            key_base64: self.key.map(base64),
            body_base64: self.body.map(base64),
        };
        serde_json::to_writer(&mut *out, &written).expect("text and memory never fail");
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn keeps_null_values_and_tells_no_body_from_an_empty_one() {
        let read = |text: &str| Capture::read(text.as_bytes()).unwrap();
        let kafka = read(r#"{"protocol":"kafka","headers":[["a",null],["a","é"]]}"#);
        let mut expected = HeaderList::default();
        expected.push("a", None);
        expected.push("a", Some("é".as_bytes()));
        assert_eq!(kafka.headers, expected);
        assert_eq!(kafka.body, None);
        assert_eq!(
            read(r#"{"protocol":"kafka","headers":[],"body_base64":""}"#).body,
            Some(vec![])
        );
        assert_eq!(
            read(r#"{"protocol":"nats","headers":[]}"#).body,
            Some(vec![])
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut headers = HeaderList::default();
        headers.push("a", Some(b"\xff\x00"));
        headers.push("a", None);
        headers.push("b", Some("é\n".as_bytes()));
        let line = Line {
            binding: &KAFKA,
            headers: &headers,
            body: Some(b"\xfe"),
            key: Some(b""),
            timestamp_ms: Some(1_763_730_000_123),
            position: Some("kafka:zaken/0/7"),
            defect: None,
        };
        let mut text = Vec::new();
        line.write(&mut text);
        assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1);
        let read = Capture::read(&text).unwrap();
        assert_eq!(read.binding.protocol, "kafka");
        assert_eq!(read.headers, headers);
        assert_eq!(read.body.as_deref(), line.body);
        assert_eq!(read.key.as_deref(), line.key);
        assert_eq!(read.timestamp_ms, line.timestamp_ms);
        assert!(!read.is_defective);
        let defect = Some("header-name-not-utf8");
        let mut text = Vec::new();
        Line { defect, ..line }.write(&mut text);
        assert!(Capture::read(&text).unwrap().is_defective);
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
            let error = Capture::read(text.as_bytes()).unwrap_err();
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
            assert_eq!(Capture::is_meant(text.as_bytes()), expected, "{text}");
        }
    }
}
