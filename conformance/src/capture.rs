//! A message exactly as it was on the wire, nothing assumed and nothing left out.

mod line;

use std::cmp::Ordering;

use crate::grammar::query;
use crate::report::Part;

pub use line::CaptureError;
pub(crate) use line::not_read;

/// How a message travelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// It did not: the text of an event as a file holds it.
    #[default]
    File,
    /// As a record of Kafka.
    Kafka,
    /// As a message of NATS.
    Nats,
    /// As a request or a response of HTTP.
    Http,
}

/// A header; its name and value as they were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name, in the case it was sent in.
    pub name: String,
    /// The bytes of the value; `None` is Kafka's null value.
    pub value: Option<Vec<u8>>,
}

/// A message as it was on the wire.
///
/// ```
/// use cloudevents_nl_conformance::{Capture, Protocol};
///
/// let capture = Capture::read(br#"{"protocol":"kafka","headers":[["ce_id","1"]]}"#)?;
/// assert_eq!((capture.protocol, capture.body), (Protocol::Kafka, None));
/// # Ok::<(), cloudevents_nl_conformance::CaptureError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// How it travelled.
    pub protocol: Protocol,
    /// All headers in order, repeats included.
    pub headers: Vec<Header>,
    /// The body; `None` is Kafka's null value.
    pub body: Option<Vec<u8>>,
    /// The Kafka record key.
    pub key: Option<Vec<u8>>,
    /// The NATS subject.
    pub subject: Option<String>,
    /// The method of an HTTP request.
    pub method: Option<String>,
    /// The target of an HTTP request: its whole URL where that is known.
    pub target: Option<String>,
    /// The status of an HTTP response.
    pub status: Option<u16>,
    /// Where it lay, for people: `kafka:topic/partition/offset` and the like.
    pub position: Option<String>,
    /// When it was sent or stored, in RFC 3339.
    pub timestamp: Option<String>,
    /// Why the transport could not read all of it.
    pub defect: Option<String>,
    /// Whether it is kept to be looked at, and not judged: what somebody made to try another out.
    pub is_evidence: bool,
    /// Rules that it is not judged by: who is tried was kept from meeting them, or has not broken them.
    pub not_judged: Vec<String>,
}

impl Capture {
    /// A message without headers and body.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            ..Self::default()
        }
    }

    /// The text of one event in the JSON format, from a file.
    #[must_use]
    pub fn event(text: impl Into<Vec<u8>>) -> Self {
        Self {
            body: Some(text.into()),
            ..Self::default()
        }
    }

    /// The text of a batch in the JSON format, from a file.
    #[must_use]
    pub fn batch(text: impl Into<Vec<u8>>) -> Self {
        let batch = "application/cloudevents-batch+json";
        Self::event(text).with_header("content-type", batch)
    }

    /// With one more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        let (name, value) = (name.to_owned(), Some(value.into()));
        self.headers.push(Header { name, value });
        self
    }

    /// The headers of a name, whose case counts on Kafka alone.
    pub fn headers_named<'c>(&'c self, name: &'c str) -> impl Iterator<Item = &'c Header> {
        self.headers
            .iter()
            .filter(move |header| self.protocol.is_same_name(&header.name, name))
    }

    /// The text of the first header of a name, without white space around it; `None` when it is not
    /// there, null or no text.
    #[must_use]
    pub fn header<'c>(&'c self, name: &'c str) -> Option<&'c str> {
        let value = self.headers_named(name).next()?.value.as_deref()?;
        str::from_utf8(value).ok().map(str::trim_ascii)
    }

    /// Whether a request brings a token, in its header or in its URL (Web Hooks 1.0.2, section 3).
    pub fn has_token(&self) -> bool {
        let authorization = self.header("Authorization").unwrap_or_default();
        let is_scheme_alone = authorization.eq_ignore_ascii_case("Bearer");
        let in_header = !authorization.is_empty() && !is_scheme_alone;
        in_header || self.target.as_deref().is_some_and(query::has_token)
    }

    /// The members of a header that is a list separated by commas, over all its lines.
    pub(crate) fn list<'c>(&'c self, name: &'c str) -> impl Iterator<Item = &'c str> {
        self.headers_named(name)
            .filter_map(|header| str::from_utf8(header.value.as_deref()?).ok())
            .flat_map(|value| value.split(',').map(str::trim_ascii))
    }

    pub(crate) fn is_judged_by(&self, rule: &str) -> bool {
        !self.not_judged.iter().any(|not| not == rule)
    }

    /// The partition of a Kafka topic, or the stream of NATS, that it lay in: its position without
    /// the offset. Messages are in order within it, and within it alone.
    #[must_use]
    pub fn lane(&self) -> Option<&str> {
        let position = self.position.as_deref()?;
        match self.protocol {
            Protocol::Kafka | Protocol::Nats => Some(position.rsplit_once('/')?.0),
            Protocol::File | Protocol::Http => None,
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.headers_named(name).next().is_some()
    }

    /// The content codings of HTTP (RFC 9110, 8.4) that the headers name.
    pub(crate) fn codings(&self) -> impl Iterator<Item = &str> {
        let codings = self.list("content-encoding");
        codings.filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
    }

    /// Whether the body is still in a content coding, such as gzip. Some
    /// recorders undo it and keep the header: what does not begin like the coding, or for codings
    /// without a beginning of their own is text, was undone.
    #[must_use]
    pub fn is_coded(&self) -> bool {
        let mut codings = self.codings();
        let body = self.body();
        let is_of = |coding: &str| match &*coding.to_ascii_lowercase() {
            "gzip" | "x-gzip" => body.starts_with(b"\x1F\x8B"),
            "zstd" => body.starts_with(b"\x28\xB5\x2F\xFD"),
            _ => str::from_utf8(body).is_err(),
        };
        self.protocol == Protocol::Http && codings.any(is_of)
    }

    /// The bytes of the body; none and null are empty.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.body.as_deref().unwrap_or_default()
    }
}

impl Protocol {
    /// Its name in lower case: `kafka`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Kafka => "kafka",
            Self::Nats => "nats",
            Self::Http => "http",
        }
    }

    /// What comes before the name of an attribute in a header.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Kafka => "ce_",
            Self::File | Self::Nats | Self::Http => "ce-",
        }
    }

    /// Whether two names of headers are the same.
    #[must_use]
    pub fn is_same_name(self, one: &str, other: &str) -> bool {
        match self {
            Self::Kafka => one == other,
            Self::File | Self::Nats | Self::Http => one.eq_ignore_ascii_case(other),
        }
    }

    /// An order of names of headers, in which those that are the same are equal.
    pub(crate) fn compare(self, one: &str, other: &str) -> Ordering {
        let lower = |byte: u8| byte.to_ascii_lowercase();
        match self {
            Self::Kafka => one.cmp(other),
            Self::File | Self::Nats | Self::Http => {
                one.bytes().map(lower).cmp(other.bytes().map(lower))
            }
        }
    }
}

/// An HTTP request and the response to it, as a webhook sender and its target exchanged them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exchange {
    /// What it is for.
    pub purpose: Purpose,
    /// The side that is judged, where the other one was made to try it out; else both are.
    pub under_test: Option<Part>,
    /// The request.
    pub request: Capture,
    /// The response to it.
    pub response: Capture,
    /// The origin that an earlier handshake agreed on.
    pub handshake_origin: Option<String>,
    /// The URL being registered, where it may differ from the request's.
    pub registered_url: Option<String>,
}

/// What an exchange is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Asking a target whether it wants events.
    Validation,
    /// Sending an event.
    Delivery,
}

impl Exchange {
    pub(crate) fn judges(&self, side: Part) -> bool {
        self.under_test.is_none_or(|part| part == side)
    }

    /// An exchange without what came before it.
    #[must_use]
    pub fn new(purpose: Purpose, request: Capture, response: Capture) -> Self {
        Self {
            purpose,
            under_test: None,
            request,
            response,
            handshake_origin: None,
            registered_url: None,
        }
    }
}
