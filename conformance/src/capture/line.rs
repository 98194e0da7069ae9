//! A capture as one line of JSON, the form that `cenl-bridge tail --show capture` prints.

use base64_simd::STANDARD;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::error::Category;

use super::{Capture, Exchange, Header, Protocol, Purpose};
use crate::report::Part;

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
    /// A line of what trying out showed, of a rule that there is not, or that cannot be tried out.
    #[error("it names no rule that can be tried out")]
    NoLiveRule,
    /// Bytes that are not spelled in Base64.
    #[error("the {0} is not base64")]
    NotBase64(&'static str),
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(deserialize_with = "read_protocol", serialize_with = "write_protocol")]
    protocol: Protocol,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    headers: Vec<(String, Option<Value>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    defect: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    evidence: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    not_judged: Vec<String>,
}

// As text: serde_json calls a number in the place of a variant a fault of the syntax.
fn read_protocol<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Protocol, D::Error> {
    match &*String::deserialize(deserializer)? {
        "kafka" => Ok(Protocol::Kafka),
        "nats" => Ok(Protocol::Nats),
        "http" => Ok(Protocol::Http),
        _ => Err(D::Error::custom("not a protocol")),
    }
}

/// A capture of a file is written as one of HTTP: it has no protocol.
fn write_protocol<S: Serializer>(protocol: &Protocol, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match protocol {
        Protocol::File => Protocol::Http.name(),
        protocol => protocol.name(),
    })
}

/// The value of a header: text, or bytes that are no text.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Bytes { base64: String },
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ExchangeLine {
    #[serde(with = "LinePurpose")]
    exchange: Purpose,
    #[serde(skip_serializing_if = "Option::is_none")]
    under_test: Option<LinePart>,
    request: Line,
    response: Line,
    #[serde(skip_serializing_if = "Option::is_none")]
    handshake_origin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registered_url: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Purpose", rename_all = "lowercase")]
enum LinePurpose {
    Validation,
    Delivery,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum LinePart {
    Request,
    Response,
}

impl Capture {
    /// Reads `{"protocol","headers","body_base64", …}`.
    ///
    /// `protocol` is `kafka`, `nats` or `http`; `headers` are pairs whose value is text, null or
    /// `{"base64": "…"}`; `key_base64`, `subject`, `method`, `target`, `status`, `position`,
    /// `timestamp`, `defect`, `evidence` and `not_judged` (names of rules) may be there. A missing body is
    /// Kafka's null value.
    ///
    /// # Errors
    /// When the text is not JSON or not of that shape.
    pub fn read(text: &[u8]) -> Result<Self, CaptureError> {
        serde_json::from_slice::<Line>(text)
            .map_err(not_read(text))?
            .into_capture()
    }

    /// Writes what [`Self::read`] reads, in one line.
    ///
    /// ```
    /// use cloudevents_nl_conformance::{Capture, Protocol};
    ///
    /// let mut capture = Capture::new(Protocol::Kafka).with_header("ce_id", "1");
    /// assert_eq!(capture.to_line(), r#"{"protocol":"kafka","headers":[["ce_id","1"]]}"#);
    /// # assert_eq!(Capture::read(capture.to_line().as_bytes())?, capture);
    /// # Ok::<(), cloudevents_nl_conformance::CaptureError>(())
    /// ```
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(&Line::of(self)).expect("texts and numbers only")
    }
}

impl Exchange {
    /// Reads `{"exchange","request","response", …}`: `exchange` is `validation` or `delivery`, the
    /// other two are captures, and `under_test` (`request` or `response`), `handshake_origin` and
    /// `registered_url` may be there. What its request is not judged by, the exchange is not.
    ///
    /// # Errors
    /// When the text is not JSON or not of that shape.
    pub fn read(text: &[u8]) -> Result<Self, CaptureError> {
        let line: ExchangeLine = serde_json::from_slice(text).map_err(not_read(text))?;
        Ok(Self {
            purpose: line.exchange,
            under_test: line.under_test.map(|part| match part {
                LinePart::Request => Part::Message,
                LinePart::Response => Part::Response,
            }),
            request: line.request.into_capture()?,
            response: line.response.into_capture()?,
            handshake_origin: line.handshake_origin,
            registered_url: line.registered_url,
        })
    }

    /// Writes what [`Self::read`] reads, in one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        let line = ExchangeLine {
            exchange: self.purpose,
            under_test: self.under_test.map(|part| match part {
                Part::Message => LinePart::Request,
                Part::Response => LinePart::Response,
            }),
            request: Line::of(&self.request),
            response: Line::of(&self.response),
            handshake_origin: self.handshake_origin.clone(),
            registered_url: self.registered_url.clone(),
        };
        serde_json::to_string(&line).expect("texts and numbers only")
    }
}

impl Line {
    fn of(capture: &Capture) -> Self {
        let value = |value: &Vec<u8>| match str::from_utf8(value) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes {
                base64: STANDARD.encode_to_string(value),
            },
        };
        let headers = capture.headers.iter();
        let headers = headers.map(|header| (header.name.clone(), header.value.as_ref().map(value)));
        let base64 = |bytes: &Vec<u8>| STANDARD.encode_to_string(bytes);
        // Only Kafka can tell no body from an empty one.
        let body = capture.body.as_ref();
        let body = body.filter(|body| capture.protocol == Protocol::Kafka || !body.is_empty());
        Self {
            protocol: capture.protocol,
            position: capture.position.clone(),
            timestamp: capture.timestamp.clone(),
            subject: capture.subject.clone(),
            method: capture.method.clone(),
            target: capture.target.clone(),
            status: capture.status,
            headers: headers.collect(),
            key_base64: capture.key.as_ref().map(base64),
            body_base64: body.map(base64),
            defect: capture.defect.clone(),
            evidence: capture.is_evidence,
            not_judged: capture.not_judged.clone(),
        }
    }

    fn into_capture(self) -> Result<Capture, CaptureError> {
        let protocol = self.protocol;
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
            is_evidence: self.evidence,
            not_judged: self.not_judged,
        })
    }
}

fn bytes(part: &'static str, base64: &str) -> Result<Vec<u8>, CaptureError> {
    STANDARD
        .decode_to_vec(base64)
        .map_err(|_| CaptureError::NotBase64(part))
}

/// Why a text is no capture. serde_json calls some JSON of another shape a fault of the syntax.
pub(crate) fn not_read(text: &[u8]) -> impl Fn(serde_json::Error) -> CaptureError {
    move |error| {
        let (line, column) = (error.line(), error.column());
        let is_json = serde_json::from_slice::<IgnoredAny>(text).is_ok();
        match is_json || error.classify() == Category::Data {
            true => CaptureError::WrongShape { line, column },
            false => CaptureError::NotJson { line, column },
        }
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
            (
                r#"{"protocol":"kafka","headers":[["a","b","c"]]}"#,
                "not in the shape of a capture at line 1, column 41",
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

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            r#"{"protocol":"kafka","position":"kafka:a/0/7","headers":[["a",null],["b",{"base64":"/wA="}]],"key_base64":"","body_base64":"/g=="}"#,
            r#"{"protocol":"nats","subject":"zaken.1","headers":[["ce-id","é"]],"evidence":true}"#,
            r#"{"protocol":"http","method":"POST","target":"/hook","headers":[],"body_base64":"e30="}"#,
        ] {
            assert_eq!(Capture::read(text.as_bytes()).unwrap().to_line(), text);
        }
        let text = r#"{"exchange":"delivery","under_test":"response","request":{"protocol":"http","method":"POST","target":"/","headers":[],"not_judged":["HOOK-AUTH-1"]},"response":{"protocol":"http","status":204,"headers":[]},"handshake_origin":"a.example"}"#;
        let exchange = Exchange::read(text.as_bytes()).unwrap();
        assert_eq!(exchange.under_test, Some(Part::Response));
        assert_eq!(exchange.to_line(), text);
    }
}
