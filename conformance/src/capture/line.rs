//! A capture as one line of JSON, the form that `cenl-bridge tail --show capture` prints.

use base64_simd::STANDARD;
use serde::Deserialize;
use serde_json::error::Category;

use super::{Capture, Exchange, Header, Protocol, Purpose};

/// Why a text is no capture. Never holds a piece of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// No JSON.
    #[error("not JSON at line {line}, column {column}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in bytes.
        column: usize,
    },
    /// JSON of another shape.
    #[error("not in the shape of a capture at line {line}, column {column}")]
    WrongShape {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in bytes.
        column: usize,
    },
    /// Bytes that are not spelled in Base64.
    #[error("the {0} is not base64")]
    NotBase64(&'static str),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    protocol: LineProtocol,
    headers: Vec<(String, Option<Value>)>,
    body_base64: Option<String>,
    key_base64: Option<String>,
    subject: Option<String>,
    method: Option<String>,
    target: Option<String>,
    status: Option<u16>,
    position: Option<String>,
    timestamp: Option<String>,
    defect: Option<String>,
}

// Read as text first: serde_json calls a number in the place of a variant a fault of the syntax.
#[derive(Deserialize)]
#[serde(try_from = "String")]
enum LineProtocol {
    Kafka,
    Nats,
    Http,
}

impl TryFrom<String> for LineProtocol {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match &*name {
            "kafka" => Ok(Self::Kafka),
            "nats" => Ok(Self::Nats),
            "http" => Ok(Self::Http),
            _ => Err("not a protocol"),
        }
    }
}

/// The value of a header: text, or bytes that are no text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Bytes { base64: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExchangeLine {
    exchange: LinePurpose,
    request: Line,
    response: Line,
    handshake_origin: Option<String>,
    registered_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LinePurpose {
    Validation,
    Delivery,
}

impl Capture {
    /// Reads `{"protocol","headers","body_base64", …}`.
    ///
    /// `protocol` is `kafka`, `nats` or `http`; `headers` are pairs whose value is text, null or
    /// `{"base64": "…"}`; `key_base64`, `subject`, `method`, `target`, `status`, `position`,
    /// `timestamp` and `defect` may be there. A missing body is Kafka's null value.
    ///
    /// # Errors
    /// When the text is not JSON or not of that shape.
    pub fn read(text: &[u8]) -> Result<Self, CaptureError> {
        serde_json::from_slice::<Line>(text)
            .map_err(error)?
            .into_capture()
    }
}

impl Exchange {
    /// Reads `{"exchange","request","response", …}`: `exchange` is `validation` or `delivery`, the
    /// other two are captures, and `handshake_origin` and `registered_url` may be there.
    ///
    /// # Errors
    /// When the text is not JSON or not of that shape.
    pub fn read(text: &[u8]) -> Result<Self, CaptureError> {
        let line: ExchangeLine = serde_json::from_slice(text).map_err(error)?;
        Ok(Self {
            purpose: match line.exchange {
                LinePurpose::Validation => Purpose::Validation,
                LinePurpose::Delivery => Purpose::Delivery,
            },
            request: line.request.into_capture()?,
            response: line.response.into_capture()?,
            handshake_origin: line.handshake_origin,
            registered_url: line.registered_url,
        })
    }
}

impl Line {
    fn into_capture(self) -> Result<Capture, CaptureError> {
        let protocol = match self.protocol {
            LineProtocol::Kafka => Protocol::Kafka,
            LineProtocol::Nats => Protocol::Nats,
            LineProtocol::Http => Protocol::Http,
        };
        let headers = self.headers.into_iter().map(|(name, value)| {
            let value = match value {
                None => None,
                Some(Value::Text(text)) => Some(text.into_bytes()),
                Some(Value::Bytes { base64 }) => Some(bytes("header", &base64)?),
            };
            Ok(Header { name, value })
        });
        let body = self.body_base64.map(|text| bytes("body", &text));
        let key = self.key_base64.map(|text| bytes("key", &text));
        Ok(Capture {
            protocol,
            headers: headers.collect::<Result<_, _>>()?,
            // Only Kafka can tell no body from an empty one.
            body: body
                .transpose()?
                .or_else(|| (protocol != Protocol::Kafka).then(Vec::new)),
            key: key.transpose()?,
            subject: self.subject,
            method: self.method,
            target: self.target,
            status: self.status,
            position: self.position,
            timestamp: self.timestamp,
            defect: self.defect,
        })
    }
}

fn bytes(part: &'static str, base64: &str) -> Result<Vec<u8>, CaptureError> {
    STANDARD
        .decode_to_vec(base64)
        .map_err(|_| CaptureError::NotBase64(part))
}

fn error(error: serde_json::Error) -> CaptureError {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Data => CaptureError::WrongShape { line, column },
        _ => CaptureError::NotJson { line, column },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn reads_what_the_bridge_prints() {
        let text = r#"{"protocol":"kafka","position":"kafka:zaken/0/7","timestamp":"2026-11-21T16:00:00Z",
            "headers":[["a",null],["a","é"],["b",{"base64":"/wA="}]],"key_base64":"","body_base64":"/g=="}"#;
        let capture = Capture::read(text.as_bytes()).unwrap();
        let header = |name: &str, value: Option<&[u8]>| Header {
            name: name.to_owned(),
            value: value.map(<[u8]>::to_vec),
        };
        let expected = [
            header("a", None),
            header("a", Some("é".as_bytes())),
            header("b", Some(b"\xff\x00")),
        ];
        assert_eq!(capture.headers, expected);
        assert_eq!(capture.key, Some(vec![]));
        assert_eq!(capture.body, Some(vec![0xFE]));
        assert_eq!(capture.position.as_deref(), Some("kafka:zaken/0/7"));
    }

    #[test]
    fn a_missing_body_is_null_on_kafka_alone() {
        let read = |text: &str| Capture::read(text.as_bytes()).unwrap().body;
        assert_eq!(read(r#"{"protocol":"kafka","headers":[]}"#), None);
        assert_eq!(read(r#"{"protocol":"nats","headers":[]}"#), Some(vec![]));
    }

    #[test]
    fn says_what_is_wrong_without_repeating_it() {
        for (text, expected) in [
            (
                r#"{"protocol":"http","headers":[],"body_base64":"hush*"}"#,
                "the body is not base64",
            ),
            (
                r#"{"protocol":"hush","headers":[]}"#,
                "not in the shape of a capture at line 1, column 18",
            ),
            (r#"{"protocol":"http","#, "not JSON at line 1, column 19"),
        ] {
            let error = Capture::read(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn reads_an_exchange() {
        let text = r#"{"exchange":"delivery","handshake_origin":"a.example",
            "request":{"protocol":"http","method":"POST","target":"https://b.example/","headers":[]},
            "response":{"protocol":"http","status":204,"headers":[]}}"#;
        let exchange = Exchange::read(text.as_bytes()).unwrap();
        assert_eq!(exchange.purpose, Purpose::Delivery);
        assert_eq!(exchange.response.status, Some(204));
    }
}
