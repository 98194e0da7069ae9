//! One event of a message: attributes and data with their places, whatever the mode.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::capture::{Capture, Header, Protocol};
use crate::grammar::integer;
use crate::grammar::name::CORE;
use crate::json;

use super::shape::Shape;

/// An event as it was sent; nothing in it is known to be valid.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event<'c> {
    /// How it travelled.
    pub protocol: Protocol,
    /// Which element of a batch it is, from 0.
    pub element: Option<usize>,
    /// What it was captured from, where that is known: only in there is its order known too.
    pub lane: Option<&'c str>,
    /// Everything that stands where attributes stand, in order, repeats and nulls included. The
    /// members `data` and `data_base64` are no attributes.
    pub attributes: Vec<Attribute<'c>>,
    /// All members of the object in the JSON format, in order, repeats included.
    pub members: Vec<json::Member<'c>>,
    /// The first member `data` in the JSON format.
    pub data: Option<json::Value<'c>>,
    /// The first member `data_base64` in the JSON format, unless it is null.
    pub data_base64: Option<json::Value<'c>>,
    /// The data in binary mode; on HTTP and NATS an empty body is none.
    pub body: Option<&'c [u8]>,
    /// Whether the body is not the data but a content coding of it, such as gzip on HTTP.
    pub is_coded: bool,
    pub(super) is_json: bool,
    /// How many bytes the event takes: its object in the JSON format, else headers and body.
    pub bytes: usize,
    /// Filled when a rule first asks for it.
    pub(super) shape: OnceCell<Shape<'c>>,
}

/// Something that stands where an attribute stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attribute<'c> {
    /// Its name: a JSON member unescaped, or what follows the prefix of a header.
    pub name: Cow<'c, str>,
    /// Its value.
    pub value: Value<'c>,
    /// Where it stands.
    pub at: At<'c>,
}

/// The value of an attribute, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value<'c> {
    /// Null, in JSON or as a Kafka header: the attribute is not set.
    Unset,
    /// Text, unescaped or decoded.
    Text(Cow<'c, str>),
    /// What should be text and is no Unicode: a lone surrogate, or bytes that are not UTF-8. U+FFFD
    /// stands where it breaks.
    Broken(Cow<'c, str>),
    /// A JSON number, as it is spelled.
    Number(&'c str),
    /// A JSON boolean.
    Boolean(bool),
    /// A JSON object or array, as it is spelled.
    Nested(&'c str),
}

/// Where an attribute stands.
#[derive(Clone, Copy, Debug)]
pub enum At<'c> {
    /// A member of the JSON object; offsets in bytes from the beginning of the body.
    Member {
        /// Where the name begins.
        name: usize,
        /// Where the value begins.
        value: usize,
    },
    /// A header.
    Header(&'c Header),
}

impl<'c> Event<'c> {
    /// One of a message, in which nothing stands.
    pub(super) fn new(capture: &'c Capture, bytes: usize) -> Self {
        Self {
            protocol: capture.protocol,
            element: None,
            lane: capture.lane(),
            attributes: Vec::new(),
            members: Vec::new(),
            data: None,
            data_base64: None,
            body: None,
            is_coded: false,
            is_json: false,
            bytes,
            shape: OnceCell::new(),
        }
    }

    /// Attributes that are set.
    pub fn set(&self) -> impl Iterator<Item = &Attribute<'c>> {
        self.attributes
            .iter()
            .filter(|attribute| attribute.is_set())
    }

    /// Attributes that are set and have a name; more than one only where the sender repeats itself.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Attribute<'c>> {
        self.set().filter(move |attribute| attribute.name == name)
    }

    /// The first attribute of a name that is set.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute<'c>> {
        self.named(name).next()
    }

    /// The text of the first attribute of a name; `None` when it is not set or no text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attribute(name)?.text()
    }

    /// Attributes of a name that are set and are not text of which `holds` is true. Text that is no
    /// Unicode is left out: CE-TYPES-6, HTTP-DEC-5, NATS-DEC-5 and KAFKA-BIN-4 report it.
    pub fn failing(
        &self,
        name: &str,
        holds: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &Attribute<'c>> {
        self.named(name)
            .filter(move |attribute| match &attribute.value {
                Value::Broken(_) => false,
                Value::Text(text) => !holds(text),
                _ => true,
            })
    }

    /// Attributes of a name whose text is so.
    pub(crate) fn matching(
        &self,
        name: &str,
        is_so: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &Attribute<'c>> {
        self.named(name)
            .filter(move |attribute| attribute.text().is_some_and(&is_so))
    }

    /// Attributes that are set and not those of the core specification.
    pub fn extensions(&self) -> impl Iterator<Item = &Attribute<'c>> {
        self.set()
            .filter(|attribute| !CORE.contains(&&*attribute.name))
    }

    /// Whether others of its source may lie in other lanes, as they do in the partitions of a topic:
    /// what seems to be missing here may be there.
    #[must_use]
    pub fn is_in_partition(&self) -> bool {
        self.lane.is_some() && self.protocol == Protocol::Kafka
    }

    /// Whether the event is written in the JSON format, rather than in headers.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.is_json
    }

    /// Which members its data has, and what kind of value each of them holds.
    pub(crate) fn shape(&self) -> &Shape<'c> {
        self.shape.get_or_init(|| Shape::of(self))
    }
}

impl Value<'_> {
    /// What stood there.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Unset => "null",
            Self::Text(text) | Self::Broken(text) => text,
            Self::Number(raw) | Self::Nested(raw) => raw,
            Self::Boolean(true) => "true",
            Self::Boolean(false) => "false",
        }
    }
}

impl Attribute<'_> {
    /// Whether it has a value at all.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.value != Value::Unset
    }

    /// Its text; `None` when its value is of another kind or no Unicode.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of an Integer, whether it came as a number or as its canonical string.
    #[must_use]
    pub fn integer(&self) -> Option<i32> {
        match &self.value {
            Value::Number(raw) => integer::parse(raw),
            Value::Text(text) => integer::parse(text),
            _ => None,
        }
    }

    /// Whether it is one of the core specification.
    #[must_use]
    pub fn is_core(&self) -> bool {
        CORE.contains(&&*self.name)
    }

    /// The header that carries it, `None` in the JSON format.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        match self.at {
            At::Header(header) => Some(header),
            At::Member { .. } => None,
        }
    }
}
