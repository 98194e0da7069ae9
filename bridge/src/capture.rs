//! A message of a protocol as one line of JSON:
//! `{"protocol":"kafka","headers":[["ce_id","1"]],"key_base64":"aw==","timestamp_ms":17,"body_base64":"e30="}`.
//!
//! The value of a header is a text, `null`, or `{"base64":"/w=="}` where its bytes are no UTF-8.
//! No `body_base64` is Kafka's null value, and no `key_base64` is no key. Reading a line gives back
//! exactly what was written. It is what dead letters in a file are written as, and what `tail` shows:
//! then `position` says where the message lies, and `defect` that it could not be read whole, so that
//! it is not read back.

use base64_simd::STANDARD;
use bytes::Bytes;
use cloudevents_nl_codec::{Binding, HTTP, Header, HeaderList, KAFKA, NATS};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

/// A message as a protocol carried it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// How its protocol spells events.
    pub binding: &'static Binding,
    /// Headers in order, repeats and nulls included.
    pub headers: HeaderList,
    /// The Kafka record key.
    pub key: Option<Bytes>,
    /// The Kafka record timestamp, in milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
    /// The body; `None` is a Kafka null value.
    pub body: Option<Bytes>,
}

/// Why a line is no message. Never holds a piece of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// It is no JSON text.
    #[error("not JSON at line {line}, column {column} of the document")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// It is JSON of another shape.
    #[error("not in the shape of a capture at line {line}, column {column} of the document")]
    WrongShape {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// There is no such protocol.
    #[error("the protocol is none of kafka, http and nats")]
    UnknownProtocol,
    /// Bytes that are not as they must be written; the word is the member's name.
    #[error("{0} is not base64")]
    NotBase64(&'static str),
    /// The message could not be read whole when the line was written.
    #[error("the message could not be read whole when it was captured")]
    Defective,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    protocol: String,
    headers: Vec<(String, Option<Value>)>,
    #[serde(default)]
    key_base64: Option<String>,
    #[serde(default)]
    timestamp_ms: Option<i64>,
    #[serde(default)]
    body_base64: Option<String>,
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
    defect: Option<&'a str>,
    headers: Vec<(&'a str, Option<Value>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp_ms: Option<i64>,
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
            Self::Bytes { base64 } => bytes(base64, "the value of a header"),
        }
    }
}

fn bytes(base64: String, what: &'static str) -> Result<Vec<u8>, CaptureError> {
    let decoded = STANDARD.decode_to_vec(base64);
    decoded.map_err(|_| CaptureError::NotBase64(what))
}

fn binding(protocol: &str) -> Option<&'static Binding> {
    [&KAFKA, &HTTP, &NATS]
        .into_iter()
        .find(|binding| binding.protocol == protocol)
}

impl Capture {
    /// Whether the text is meant as a capture rather than as an event.
    #[must_use]
    pub fn is_meant(text: &[u8]) -> bool {
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

    /// Reads one line.
    ///
    /// # Errors
    /// [`CaptureError`], which holds no piece of the line.
    pub fn read(text: &[u8]) -> Result<Self, CaptureError> {
        let read: Read = serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            match error.classify() {
                Category::Data => CaptureError::WrongShape { line, column },
                _ => CaptureError::NotJson { line, column },
            }
        })?;
        if read.defect.is_some() {
            return Err(CaptureError::Defective);
        }
        let binding = binding(&read.protocol).ok_or(CaptureError::UnknownProtocol)?;
        let mut headers = HeaderList::default();
        for (name, value) in read.headers {
            let value = value.map(Value::into_bytes).transpose()?;
            headers.push(&name, value.as_deref());
        }
        let part = |base64: Option<String>, what| base64.map(|base64| bytes(base64, what));
        let key = part(read.key_base64, "the key").transpose()?;
        let body = part(read.body_base64, "the body").transpose()?;
        Ok(Self {
            binding,
            headers,
            key: key.map(Bytes::from),
            timestamp_ms: read.timestamp_ms,
            // Only Kafka can tell no body from an empty one.
            body: body
                .or_else(|| (!binding.has_null_body).then(Vec::new))
                .map(Bytes::from),
        })
    }

    /// The headers, for the decoder.
    #[must_use]
    pub fn headers(&self) -> Vec<Header<'_>> {
        self.headers.iter().collect()
    }

    /// Appends the message as a line.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_at(None, None, out);
    }

    /// Appends the message as a line that says where it lies, and why it is not whole.
    pub fn write_at(&self, position: Option<&str>, defect: Option<&str>, out: &mut Vec<u8>) {
        let base64 = |part: &Option<Bytes>| Some(STANDARD.encode_to_string(part.as_ref()?));
        let headers = self.headers.iter();
        let written = Written {
            protocol: self.binding.protocol,
            position,
            defect,
            headers: headers
                .map(|header| (header.name, header.value.map(Value::of)))
                .collect(),
            key_base64: base64(&self.key),
            timestamp_ms: self.timestamp_ms,
            body_base64: base64(&self.body),
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
        let mut headers = HeaderList::default();
        headers.push("a", None);
        headers.push("a", Some("é".as_bytes()));
        assert_eq!(kafka.headers, headers);
        assert_eq!((kafka.body, kafka.key), (None, None));
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
    fn gives_back_what_was_written_on_one_line() {
        let mut headers = HeaderList::default();
        for value in [
            None,
            Some(&b""[..]),
            Some(b"a\r\nb"),
            Some(b"\xff\x00"),
            Some("\u{2028}é\"".as_bytes()),
        ] {
            headers.push("é: \n", value);
        }
        for (key, body) in [
            (None, None),
            (Some(""), Some("")),
            (Some("k\n"), Some("\n")),
        ] {
            let bytes = |text: Option<&'static str>| text.map(Bytes::from);
            let capture = Capture {
                binding: &KAFKA,
                headers: headers.clone(),
                key: bytes(key),
                timestamp_ms: key.map(|_| -17),
                body: bytes(body),
            };
            let mut line = Vec::new();
            capture.write(&mut line);
            assert_eq!(
                line.iter().position(|&byte| byte == b'\n'),
                Some(line.len() - 1)
            );
            assert!(Capture::is_meant(&line));
            assert_eq!(Capture::read(&line).unwrap(), capture);
            let write_at = |defect| {
                let mut line = Vec::new();
                capture.write_at(Some("kafka:zaken/0/7"), defect, &mut line);
                Capture::read(&line)
            };
            assert_eq!(write_at(None), Ok(capture.clone()));
            assert_eq!(write_at(Some("header")), Err(CaptureError::Defective));
        }
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
                CaptureError::NotBase64("the body"),
            ),
            (
                r#"{"protocol":"kafka","headers":[],"key_base64":"hush*"}"#,
                CaptureError::NotBase64("the key"),
            ),
            (
                r#"{"protocol":"kafka","headers":[["a",{"base64":"hush*"}]]}"#,
                CaptureError::NotBase64("the value of a header"),
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
