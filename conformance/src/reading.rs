//! What a rule looks at: a message as this crate reads it, with the place of everything.
//!
//! A reading never fails. What cannot be read is told in [`Reading::unreadable`] and in
//! [`Value::Broken`], and every other part is there to be judged. It is made without the codec.

mod binary;
mod event;
mod json;
pub(crate) mod repeats;
pub(crate) mod shape;

use std::borrow::Cow;

use crate::capture::{Capture, Header, Protocol};
use crate::grammar::media_type::is_media_type;
use crate::grammar::name::REQUIRED;
use crate::grammar::percent;
use crate::json as text;

pub use event::{At, Attribute, Event, Value};

/// A message, read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reading<'c> {
    /// The message as it was.
    pub capture: &'c Capture,
    /// How it carries an event.
    pub mode: Mode,
    /// The events in it: one, or as many objects as a batch has. What is wrong with an event does
    /// not keep it from this list.
    pub events: Vec<Event<'c>>,
    /// What keeps the body from holding an event, or a batch of them.
    pub unreadable: Vec<Unreadable<'c>>,
}

/// How a message carries events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// The body is an event in the JSON format.
    Structured,
    /// Headers are attributes, and the body is the data.
    Binary,
    /// The body is an array of events.
    Batched,
    /// An event in a format that is not JSON, or a batch where the protocol has none, or a body whose
    /// content coding was not undone.
    Unsupported,
    /// Nothing says that it is an event.
    NotAnEvent,
}

/// What keeps a body from holding an event.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Unreadable<'c> {
    /// It is not JSON in UTF-8.
    Json(text::JsonFault),
    /// A value stands where an event, which is an object, should; in a batch this is one element.
    NotAnObject {
        /// Where it begins, as an offset in bytes.
        at: usize,
        /// Which element of a batch, from 0.
        element: Option<usize>,
        /// The beginning of what stands there.
        raw: &'c str,
    },
    /// A value stands where a batch, which is an array, should.
    NotAnArray {
        /// Where it begins, as an offset in bytes.
        at: usize,
    },
}

impl<'c> Reading<'c> {
    /// Reads a message.
    #[must_use]
    pub fn of(capture: &'c Capture) -> Self {
        // What is coded is no JSON, and says nothing of what it codes.
        let mode = match mode(capture) {
            Mode::Structured | Mode::Batched if capture.is_coded() => Mode::Unsupported,
            mode => mode,
        };
        let mut reading = Self {
            capture,
            mode,
            events: Vec::new(),
            unreadable: Vec::new(),
        };
        match reading.mode {
            Mode::Structured => json::read_event(&mut reading),
            Mode::Batched => json::read_batch(&mut reading),
            Mode::Binary => reading.events.push(binary::read(capture)),
            Mode::Unsupported | Mode::NotAnEvent => {}
        }
        reading
    }

    /// The event of an element of a batch; that of a message which is no batch, whatever the element.
    pub(crate) fn event(&self, element: Option<usize>) -> Option<&Event<'c>> {
        if self.mode != Mode::Batched {
            return self.events.first();
        }
        let (events, wanted) = (&self.events, Some(element?));
        let found = events.binary_search_by_key(&wanted, |event| event.element);
        events.get(found.ok()?)
    }

    /// Whether the events are written in the JSON format.
    #[must_use]
    pub fn is_json(&self) -> bool {
        matches!(self.mode, Mode::Structured | Mode::Batched)
    }

    /// The headers that carry attributes, with the name of the attribute, in any mode. In structured
    /// mode these are copies that nobody reads.
    pub fn attribute_headers(&self) -> impl Iterator<Item = (Cow<'c, str>, &'c Header)> {
        let protocol = self.capture.protocol;
        self.capture
            .headers
            .iter()
            .filter_map(move |header| Some((attribute_name(protocol, &header.name)?, header)))
    }

    /// The headers that carry an attribute, or the content type, and had their name before: in binary
    /// mode those of attributes, in any mode those of the content type.
    pub fn repeated_headers(&self) -> impl Iterator<Item = &'c Header> {
        let (protocol, is_binary) = (self.capture.protocol, self.mode == Mode::Binary);
        let matters = move |header: &&Header| {
            protocol.is_same_name(&header.name, "content-type")
                || is_binary && attribute_name(protocol, &header.name).is_some()
        };
        let compare = move |one: &Header, other: &Header| protocol.compare(&one.name, &other.name);
        repeats::repeats(&self.capture.headers, compare).filter(matters)
    }

    /// The headers whose value is percent-coded: those of [`Self::attribute_headers`] in binary mode
    /// on HTTP and NATS. Values that are null are left out.
    pub fn coded_headers(&self) -> impl Iterator<Item = (&'c Header, &'c [u8])> {
        let is_coded = self.mode == Mode::Binary && self.capture.protocol != Protocol::Kafka;
        self.attribute_headers()
            .filter(move |_| is_coded)
            .filter_map(|(_, header)| Some((header, percent::trim(header.value.as_deref()?))))
    }

    /// Whether the body is a JSON object with all attributes that an event needs, whatever the
    /// content type says.
    #[must_use]
    pub fn body_looks_like_an_event(&self) -> bool {
        looks_like_an_event(self.capture.body())
    }

    /// Whether the body is an event, and no media type announces one. What begins like one of events, such
    /// as two of them behind a comma, may be no media type.
    pub(crate) fn is_unannounced(&self) -> bool {
        let content_type = self.capture.header("content-type").unwrap_or_default();
        let announces_none = match self.mode {
            Mode::NotAnEvent => true,
            Mode::Unsupported => !is_media_type(content_type),
            _ => false,
        };
        announces_none && self.body_looks_like_an_event()
    }

    /// Whether the body is the whole event of the headers once more. Another event as data is unusual, and
    /// allowed.
    pub(crate) fn body_repeats_headers(&self) -> bool {
        let members = match self.mode {
            Mode::Binary => event_in(self.capture.body()).unwrap_or_default(),
            _ => return false,
        };
        let is_same = |event: &Event<'_>, name: &str| {
            let mut named = members.iter().filter(|member| member.name.text == name);
            named.any(|member| {
                let text = member.value.text();
                text.is_some_and(|text| event.text(name) == Some(&*text.text))
            })
        };
        let mut events = self.events.iter();
        events.any(|event| is_same(event, "id") && is_same(event, "source"))
    }
}

/// Whether a text is a JSON object with all attributes that an event needs.
pub(crate) fn looks_like_an_event(bytes: &[u8]) -> bool {
    event_in(bytes).is_some()
}

/// The members of such an object.
fn event_in(bytes: &[u8]) -> Option<Vec<text::Member<'_>>> {
    let Ok(text::Document::Object(members)) = text::parse(bytes) else {
        return None;
    };
    let has = |name: &&str| members.iter().any(|member| member.name.text == **name);
    REQUIRED.iter().all(has).then_some(members)
}

/// Whether a text is a JSON object without any of the attributes that an event needs.
fn is_bare_data(bytes: &[u8]) -> bool {
    let Ok(text::Document::Object(members)) = text::parse(bytes) else {
        return false;
    };
    let mut names = members.iter().map(|member| &*member.name.text);
    !names.any(|name| REQUIRED.contains(&name))
}

/// What follows the prefix of attributes in the name of a header, in lower case where case is ignored.
pub(crate) fn attribute_name(protocol: Protocol, header: &str) -> Option<Cow<'_, str>> {
    let prefix = protocol.prefix();
    let (start, name) = header.split_at_checked(prefix.len())?;
    if !protocol.is_same_name(start, prefix) {
        return None;
    }
    Some(if protocol == Protocol::Kafka {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.to_ascii_lowercase())
    })
}

/// The mode by content type: the batch prefix first, without regard to case (HTTP-DETECT-1,
/// KAFKA-DETECT-1, NATS-DETECT-1).
fn mode(capture: &Capture) -> Mode {
    let mut types = capture.headers_named("content-type");
    let announced = types.find_map(|header| header.value.as_deref());
    let announced = String::from_utf8_lossy(announced.unwrap_or_default()).to_ascii_lowercase();
    let rest = announced.trim_ascii();
    let Some(rest) = rest.strip_prefix("application/cloudevents") else {
        return mode_without_announcement(capture);
    };
    let (mode, rest) = match rest.strip_prefix("-batch") {
        Some(_) if matches!(capture.protocol, Protocol::Kafka | Protocol::Nats) => {
            return Mode::Unsupported;
        }
        Some(rest) => (Mode::Batched, rest),
        None => (Mode::Structured, rest),
    };
    // A prefix without a format is taken for JSON.
    match rest.split(';').next().unwrap_or_default().trim_ascii() {
        "" | "+json" => mode,
        _ => Mode::Unsupported,
    }
}

fn mode_without_announcement(capture: &Capture) -> Mode {
    let headers = capture.headers.iter();
    let names = headers.filter_map(|header| attribute_name(capture.protocol, &header.name));
    let mut names = names.peekable();
    let has_none = names.peek().is_none();
    let is_object = || capture.body().trim_ascii_start().starts_with(b"{");
    match capture.protocol {
        Protocol::File => Mode::Structured,
        // What senders of the bindings before 1.0.3 produce; see bindings.md.
        Protocol::Nats if has_none && is_object() && !is_bare_data(capture.body()) => {
            Mode::Structured
        }
        _ if names.any(|name| REQUIRED.contains(&&*name)) => Mode::Binary,
        _ => Mode::NotAnEvent,
    }
}
