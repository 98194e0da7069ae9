//! Errors: a kind and a place, comparable; the sentence is made when it is read.

pub(crate) mod json;

use std::convert::Infallible;
use std::fmt;

use json::JsonFault;

use crate::event::partial::PartialEvent;

/// Where in a message the problem is. Its text stands in that of the error, as [`DecodeError`] shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The message as a whole.
    Message,
    /// The batch around the element that the error names.
    Batch,
    /// A byte offset, counted from 0 at the beginning of the body or of the text that was given.
    Byte(usize),
    /// An attribute, or another member of the JSON object. Names that a sender made longer than 64
    /// characters are cut there.
    Attribute(Box<str>),
    /// A header, its name cut likewise.
    Header(Box<str>),
}

/// A name of the sender's choice, short enough to repeat.
fn truncated(name: &str) -> Box<str> {
    name.chars().take(64).collect()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message => f.write_str("message"),
            Self::Batch => f.write_str("batch"),
            Self::Byte(at) => write!(f, "byte {at}"),
            Self::Attribute(name) if name.starts_with("data_") || **name == *"data" => {
                write!(f, "member {name:?}")
            }
            Self::Attribute(name) => write!(f, "attribute {name:?}"),
            Self::Header(name) => write!(f, "header {name:?}"),
        }
    }
}

/// What breaks the core specification, CloudEvents 1.0.2, in one attribute; [`DecodeError`] shows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeFault {
    /// A name other than lower-case letters and digits ("Attribute Naming Convention"), or `data`, which is reserved.
    #[error("not an attribute name; use lower-case letters and digits")]
    Name,
    /// The second attribute of that name (RFC 8259, section 4; Kafka binding 3.2.3; HTTP binding
    /// 3.1.3; NATS binding 1.0.3-wip, 3.1.2), or the second content type.
    #[error("given more than once; send it once")]
    Repeated,
    /// Neither set nor allowed to be unset ("REQUIRED Attributes").
    #[error("missing; every event needs it")]
    Missing,
    /// Empty where one character is the least ("REQUIRED Attributes", "OPTIONAL Attributes").
    #[error("empty; leave it out or give it a value")]
    Empty,
    /// A control character or a noncharacter ("Type System", `String`).
    #[error("holds a control character or a noncharacter; leave it out")]
    Character,
    /// `specversion` other than `1.0` ("REQUIRED Attributes").
    #[error("not 1.0; other versions are not understood")]
    SpecVersion,
    /// No absolute URI of RFC 3986, section 4.3.
    #[error("not an absolute URI; it needs a scheme and no fragment")]
    Uri,
    /// No URI-reference of RFC 3986, section 4.1.
    #[error("not a URI-reference; percent-encode what RFC 3986 reserves")]
    UriReference,
    /// No date-time of RFC 3339, section 5.6.
    #[error("not an RFC 3339 date-time; write it like 2021-12-10T17:31:00Z")]
    Timestamp,
    /// No media type of RFC 2046.
    #[error("not a media type; write it like application/json")]
    MediaType,
    /// No Base64 with padding, in `data_base64` or in an extension of type `Binary`.
    #[error("not Base64; use RFC 4648 section 4, with padding")]
    Base64,
    /// A JSON value other than a string where a string is the only form (JSON format 2.2).
    #[error("not a JSON string; put it in quotes")]
    NotAString,
    /// No 32-bit integer; in JSON, digits and a minus sign only ("Type System", `Integer`; JSON format 2.2).
    #[error("not a 32-bit integer; send other numbers as a string")]
    NotAnInteger,
    /// A JSON object or array; no attribute has such a value (JSON format 2.2).
    #[error("an object or array; move it into data")]
    NotAnAttribute,
    /// Text other than `true` and `false` for a [`Value`](crate::Value) ("Type System", `Boolean`).
    #[error("not true or false; write it in lower case")]
    NotABoolean,
}

/// For values that cannot be wrong, such as those of `bool`.
impl From<Infallible> for AttributeFault {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// What is wrong with a message; its text says what to do too, and not where. [`DecodeError`] shows one. Sections are
/// those of the JSON format 1.0.2, the HTTP and Kafka bindings 1.0.2 and the NATS binding 1.0.3-wip.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Nothing in the message says that it is an event: neither its content type nor a header of a
    /// required attribute nor, on NATS, a body that begins an object (section 3 of each binding).
    #[error("not a CloudEvent; its headers or its content type must say that it is one")]
    NotACloudEvent,
    /// A format other than JSON, or a batch outside HTTP.
    #[error("an event format or mode that is not supported here; send the JSON format")]
    UnsupportedFormat,
    /// A message in batched mode, where one event was asked for.
    #[error("a batch where one event is taken; send events one by one")]
    UnexpectedBatch,
    /// A limit of [`crate::Limits`] was passed: on nesting at [`Place::Byte`], on attributes at
    /// [`Place::Attribute`] or [`Place::Header`], on headers at [`Place::Header`], on bytes at
    /// [`Place::Message`], on events at [`Place::Batch`].
    #[error("more than the limit; send less")]
    TooLarge,
    /// The body, or the data in it, is no JSON.
    #[error("{0}")]
    Json(JsonFault),
    /// A JSON value where an event object is needed (JSON format, section 3).
    #[error("not a JSON object; one event is one object")]
    NotAnObject,
    /// A JSON value where the array of a batch is needed (JSON format 4.1).
    #[error("not a JSON array; a batch is an array of events")]
    NotAnArray,
    /// An attribute breaks the core specification.
    #[error("{0}")]
    Attribute(AttributeFault),
    /// `data` and `data_base64` together (JSON format 3.1.1).
    #[error("together with data; send one of the two")]
    DataTwice,
    /// `data` is not a string although the content type is not JSON (JSON format 3.1.1 and 3.1.2).
    #[error("not a string although datacontenttype is not JSON; correct one of the two")]
    DataNotText,
    /// A header value is not UTF-8, percent-decoded where the protocol says so (HTTP and NATS
    /// bindings 3.1.3.2; Kafka binding 3.2.3).
    #[error("a value that is not UTF-8; encode it so")]
    HeaderNotUtf8,
    /// `ce-datacontenttype` (HTTP binding 3.1.1) or `ce_datacontenttype` (Kafka binding 3.2.1): the content
    /// type carries that attribute.
    #[error("forbidden; the content type header carries this attribute")]
    ForbiddenHeader,
}

/// Why a message holds no event, and where. Two errors are equal when kind, place and element are.
///
/// ```
/// use cloudevents_nl_codec::{AttributeFault, DecodeErrorKind, Decoder, Place};
///
/// let text = br#"{"specversion":"1.0","id":"doc1","source":"/a","type":""}"#;
/// let error = Decoder::default().decode_structured(text).unwrap_err();
/// assert_eq!(error.kind, DecodeErrorKind::Attribute(AttributeFault::Empty));
/// assert_eq!(error.place, Place::Attribute("type".into()));
/// assert_eq!(error.to_string(), r#"attribute "type": empty; leave it out or give it a value"#);
/// let partial = error.partial().expect("an id and a source");
/// assert_eq!((partial.id(), partial.source(), partial.ty()), (Some("doc1"), Some("/a"), None));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecodeError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Where; in a batch, offsets count from the beginning of the whole text.
    pub place: Place,
    /// Which element of a batch, counted from 0. `None` outside batches, and where the text is no batch.
    pub element: Option<usize>,
    pub(crate) partial: Option<Box<PartialEvent>>,
}

impl DecodeError {
    pub(crate) fn new(kind: DecodeErrorKind, place: Place) -> Self {
        Self {
            kind,
            place,
            element: None,
            partial: None,
        }
    }

    /// What could be read of the event all the same: any of `id`, `source` and `type`, to name it in a log or beside a
    /// dead letter. `None` where nothing could, and where headers or the text of a structured event pass a limit.
    ///
    /// It is for people, and no event: members behind one that is no JSON were not looked at.
    pub fn partial(&self) -> Option<&PartialEvent> {
        self.partial.as_deref()
    }

    #[cold]
    pub(crate) fn member(kind: DecodeErrorKind, name: &str) -> Self {
        Self::new(kind, Place::Attribute(truncated(name)))
    }

    #[cold]
    pub(crate) fn of(fault: AttributeFault, name: &str) -> Self {
        Self::member(DecodeErrorKind::Attribute(fault), name)
    }

    #[cold]
    pub(crate) fn header(kind: DecodeErrorKind, name: &str) -> Self {
        Self::new(kind, Place::Header(truncated(name)))
    }
}

/// [`JsonFault::TooDeep`] becomes [`DecodeErrorKind::TooLarge`], any other fault
/// [`DecodeErrorKind::Json`]; the place is [`Place::Byte`].
impl From<json::JsonError> for DecodeError {
    #[cold]
    fn from(error: json::JsonError) -> Self {
        let kind = match error.fault {
            JsonFault::TooDeep => DecodeErrorKind::TooLarge,
            fault => DecodeErrorKind::Json(fault),
        };
        Self::new(kind, Place::Byte(error.at))
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element) = self.element {
            write!(f, "element {element}, ")?;
        }
        write!(f, "{}: ", self.place)?;
        if self.kind != DecodeErrorKind::TooLarge {
            return self.kind.fmt(f);
        }
        f.write_str(match self.place {
            Place::Byte(_) => "nested deeper than the limit; flatten it",
            Place::Message => "more bytes than the limit; send less",
            Place::Batch => "more events than the limit; send smaller batches",
            Place::Header(_) => "more headers or attributes than the limit; move some into data",
            Place::Attribute(_) => "more attributes than the limit; move some into data",
        })
    }
}

impl PartialEq for DecodeError {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.place, self.element) == (&other.kind, &other.place, other.element)
    }
}

impl Eq for DecodeError {}

impl std::error::Error for DecodeError {}

/// Why an event cannot be written as asked. Structured mode carries every one. [`encode`](crate::encode) shows one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// In binary mode on HTTP and Kafka, a `datacontenttype` that would announce another mode (bindings 1.0.2, section 3).
    #[error(
        "datacontenttype begins with application/cloudevents; write the event in structured mode"
    )]
    AnnouncesStructured,
    /// A URI or URI-reference is none, which only [`Leniency`](crate::Leniency) lets in: percent-encoded, the
    /// next reader could take it for another text ([`Event::is_exact_in`](crate::Event::is_exact_in)).
    #[error("an attribute should be a URI and is none; write the event in structured mode")]
    Irregular,
    /// The charset of `datacontenttype` is none of UTF-8, US-ASCII and ISO-8859-1.
    #[error("the charset of datacontenttype is not supported; write the event in structured mode")]
    UnsupportedCharset,
    /// In binary mode, text with a character that the charset of `datacontenttype` does not have.
    #[error("data holds a character that its charset lacks; write the event in structured mode")]
    NotInCharset,
    /// Batched mode on another protocol than HTTP (HTTP binding 1.0.2, section 3.3).
    #[error("this protocol has no batches; write events one by one")]
    NoBatches,
    /// An `http::HeaderMap` has 24,576 headers and names of 65,535 bytes at most. Only `encode_http` says so.
    #[error("more headers or a longer name than HTTP carries; write the event in structured mode")]
    TooManyHeaders,
}

/// Why an event cannot be built. [`Event`](crate::Event) shows one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// An attribute breaks the core specification.
    #[error("attribute {name:?}: {fault}")]
    Attribute {
        /// Its name; one longer than 64 characters is cut there.
        name: Box<str>,
        /// What is wrong.
        fault: AttributeFault,
    },
    /// JSON under a content type that is not JSON, or text under one that is (or under none): JSON
    /// format 1.0.2, section 3.1.1.
    #[error("data does not fit datacontenttype; JSON needs a JSON type or none, text another")]
    DataUnderOtherType,
}

impl EventError {
    #[cold]
    pub(crate) fn new(name: &str, fault: AttributeFault) -> Self {
        Self::Attribute {
            name: truncated(name),
            fault,
        }
    }
}

#[cfg(test)]
mod tests;
