//! A message of a protocol as one line of JSON:
//! `{"protocol":"kafka","headers":[["ce_id","1"]],"body_base64":"e30="}`.
//!
//! The value of a header may be null, and a missing body is Kafka's null value.

use base64_simd::STANDARD;
use cloudevents_nl_codec::{Binding, HTTP, HeaderList, KAFKA, NATS};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

/// A message read from a line.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) binding: &'static Binding,
    pub(super) headers: Vec<(String, Option<String>)>,
    pub(super) body: Option<Vec<u8>>,
}

/// Why a line is no message. Never holds a piece of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CaptureError {
    #[error("not JSON at line {line}, column {column} of the document")]
    NotJson { line: usize, column: usize },
    #[error("not in the shape of a capture at line {line}, column {column} of the document")]
    WrongShape { line: usize, column: usize },
    #[error("the protocol is none of kafka, http and nats")]
    UnknownProtocol,
    #[error("the body is not base64")]
    NotBase64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    protocol: String,
    headers: Vec<(String, Option<String>)>,
    #[serde(default)]
    body_base64: Option<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    protocol: &'a str,
    headers: Vec<(&'a str, Option<&'a str>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

fn binding(protocol: &str) -> Option<&'static Binding> {
    [&KAFKA, &HTTP, &NATS]
        .into_iter()
        .find(|binding| binding.protocol == protocol)
}

impl Capture {
    /// Whether the text is meant as a capture rather than as an event.
    pub(super) fn is_meant(text: &[u8]) -> bool {
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

    pub(super) fn read(text: &[u8]) -> Result<Self, CaptureError> {
        let read: Read = serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            match error.classify() {
                Category::Data => CaptureError::WrongShape { line, column },
                _ => CaptureError::NotJson { line, column },
            }
        })?;
        let binding = binding(&read.protocol).ok_or(CaptureError::UnknownProtocol)?;
        let body = read
            .body_base64
            .map(|text| STANDARD.decode_to_vec(text))
            .transpose()
            .map_err(|_| CaptureError::NotBase64)?;
        Ok(Self {
            binding,
            headers: read.headers,
            // Only Kafka can tell no body from an empty one.
            body: body.or_else(|| (!binding.has_null_body).then(Vec::new)),
        })
    }
}

/// Appends a message as a line.
pub(super) fn write(
    binding: &Binding,
    headers: &HeaderList,
    body: Option<&[u8]>,
    out: &mut Vec<u8>,
) {
    let text = |value| str::from_utf8(value).expect("the codec writes text");
    let written = Written {
        protocol: binding.protocol,
        headers: headers
            .iter()
            .map(|header| (header.name, header.value.map(text)))
            .collect(),
        body_base64: body.map(|body| STANDARD.encode_to_string(body)),
    };
    serde_json::to_writer(&mut *out, &written).expect("text and memory never fail");
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn keeps_null_values_and_tells_no_body_from_an_empty_one() {
        let read = |text: &str| Capture::read(text.as_bytes()).unwrap();
        let kafka = read(r#"{"protocol":"kafka","headers":[["a",null],["a","é"]]}"#);
        assert_eq!(
            kafka.headers,
            [("a".into(), None), ("a".into(), Some("é".into()))]
        );
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
    fn says_what_is_wrong_without_repeating_it() {
        for (text, expected) in [
            (
                r#"{"protocol":"hush","headers":[]}"#,
                CaptureError::UnknownProtocol,
            ),
            (
                r#"{"protocol":"http","headers":[],"body_base64":"hush*"}"#,
                CaptureError::NotBase64,
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
