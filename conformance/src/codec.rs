//! Any codec, so that it can be tried like ours.
//!
//! [`Codec`] is what a codec has to be able to do; [`vectors::run`](crate::vectors::run) holds it
//! against cases that are written down, and with feature `generate` the module `properties` against
//! generated events. A codec may panic: that is caught, and counts as one more wrong answer.

mod guarded;
mod ours;

use std::collections::BTreeMap;
use std::fmt;

use cloudevents_nl_codec::AttributeType;

use crate::capture::{Capture, Protocol};
use crate::reading::Mode;

pub(crate) use guarded::Guarded;
pub use ours::Ours;

/// A codec that is tried: two ways between messages and events, and a look at an event.
///
/// ```
/// use cloudevents_nl_conformance::codec::{Codec, Decoded, Described, Payload, Refusal};
/// use cloudevents_nl_conformance::{Capture, Mode, Protocol};
/// use serde_json::{Map, Value};
///
/// /// Takes any JSON object for an event, and knows no protocol.
/// struct Careless;
///
/// impl Codec for Careless {
///     type Event = Map<String, Value>;
///
///     fn decode(&self, message: &Capture) -> Result<Decoded<Self::Event>, Refusal> {
///         if message.protocol != Protocol::File {
///             return Err(Refusal::NotSupported("protocols".to_owned()));
///         }
///         let event = serde_json::from_slice(message.body());
///         event.map(Decoded::Event).map_err(|error| Refusal::Refused(error.to_string()))
///     }
///
///     fn describe(&self, event: &Self::Event) -> Described {
///         let mut described = Described::default();
///         for (name, value) in event {
///             match value {
///                 data if name == "data" => described.data = Some(Payload::json(data.to_string())),
///                 Value::String(text) => described.set(name, None, text.as_str()),
///                 other => described.set(name, None, other.to_string()),
///             }
///         }
///         described
///     }
///
///     fn encode(&self, event: &Self::Event, to: Protocol, mode: Mode) -> Result<Capture, Refusal> {
///         match (to, mode) {
///             (Protocol::File, Mode::Structured) => Ok(Capture::event(serde_json::to_vec(event).unwrap())),
///             _ => Err(Refusal::NotSupported("protocols".to_owned())),
///         }
///     }
/// }
///
/// # let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors"));
/// # use cloudevents_nl_conformance::vectors::{self, NotMet};
/// let report = vectors::run(&Careless, folder, &NotMet::default())?;
/// assert!(report.failed() > 100);
/// # Ok::<(), vectors::VectorsError>(())
/// ```
pub trait Codec {
    /// What it makes of a message.
    type Event;

    /// Reads a message. [`Protocol::File`] without headers is the text of an event in the JSON
    /// format; [`Capture`] tells the rest.
    ///
    /// # Errors
    /// When it hands out no event; [`Refusal`] says how much it tells of the reason.
    fn decode(&self, message: &Capture) -> Result<Decoded<Self::Event>, Refusal>;

    /// What it says an event holds. An event that was read is asked, never the message, so that what
    /// the codec lost is seen to be lost.
    fn describe(&self, event: &Self::Event) -> Described;

    /// Writes an event that it has read. [`Protocol::File`] in [`Mode::Structured`] is the bare text;
    /// [`Mode::Batched`] is a batch of this one event.
    ///
    /// # Errors
    /// When it writes none.
    fn encode(
        &self,
        event: &Self::Event,
        protocol: Protocol,
        mode: Mode,
    ) -> Result<Capture, Refusal>;

    /// The content mode it takes a message to be in; `None`, which is the default, is not judged.
    fn mode(&self, message: &Capture) -> Option<Mode> {
        _ = message;
        None
    }
}

/// What a codec reads from a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<E> {
    /// One event.
    Event(E),
    /// The events of a batch, which may be none.
    Batch(Vec<E>),
}

/// Why a codec hands out no event, or no message. The text is the codec's own, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It does not have this at all: the protocol, the content mode. Listed, and never counted as
    /// wrong.
    NotSupported(String),
    /// It says that nothing in the message claims to be an event.
    NotAnEvent(String),
    /// It says that the event is in a format, or a mode, that it does not have.
    UnsupportedFormat(String),
    /// It says that the message is wrong.
    Invalid(String),
    /// It says that the message is beyond a limit of its own.
    TooLarge(String),
    /// It does not say which of these it is, and is taken to mean the right one.
    Refused(String),
    /// It panicked. The harness says so, not the codec.
    Panicked(String),
}

impl Refusal {
    /// The word of the vector files, `None` where the codec does not say.
    pub(crate) fn outcome(&self) -> Option<&'static str> {
        match self {
            Self::NotSupported(_) | Self::Refused(_) | Self::Panicked(_) => None,
            _ => Some(self.parts().0),
        }
    }

    /// What it says, in a word, and the text.
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::NotSupported(text) => ("not supported", text),
            Self::NotAnEvent(text) => ("not-a-cloudevent", text),
            Self::UnsupportedFormat(text) => ("unsupported", text),
            Self::Invalid(text) | Self::TooLarge(text) => ("decode-error", text),
            Self::Refused(text) => ("refused", text),
            Self::Panicked(text) => ("panicked", text),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, text) = self.parts();
        write!(f, "{what}: {text}")
    }
}

/// An event as a codec shows it to its users.
///
/// ```
/// use cloudevents_nl_conformance::codec::{Described, Payload};
///
/// let mut described = Described::default();
/// described.set("id", None, "1");
/// described.data = Some(Payload::json("{}"));
/// assert_eq!(described.attributes["id"].text, "1");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// All attributes that are set, `specversion` and `datacontenttype` included.
    pub attributes: BTreeMap<String, DescribedAttribute>,
    /// The data; `None` is no data, which is not the same as empty data.
    pub data: Option<Payload>,
}

impl Described {
    /// Sets an attribute.
    pub fn set(&mut self, name: &str, ty: Option<AttributeType>, text: impl Into<String>) {
        let text = text.into();
        let attribute = DescribedAttribute { ty, text };
        self.attributes.insert(name.to_owned(), attribute);
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(|attribute| &*attribute.text)
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedAttribute {
    /// Its type; `None` where the codec has no types.
    pub ty: Option<AttributeType>,
    /// Its canonical string (CloudEvents 1.0.2, "Type System").
    pub text: String,
}

/// Data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What the codec takes it for; `None` where it says nothing but the bytes.
    pub kind: Option<PayloadKind>,
    /// What the body of a message in binary mode would be: JSON as text, text in the charset of its
    /// content type, bytes as they are.
    pub bytes: Vec<u8>,
}

impl Payload {
    /// JSON, as the codec would write it.
    #[must_use]
    pub fn json(text: impl Into<Vec<u8>>) -> Self {
        Self::of(Some(PayloadKind::Json), text)
    }

    /// Text that is not JSON.
    #[must_use]
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::of(Some(PayloadKind::Text), text)
    }

    /// Bytes of which the codec says nothing.
    #[must_use]
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(None, bytes)
    }

    fn of(kind: Option<PayloadKind>, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { kind, bytes }
    }
}

/// What data is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadKind {
    /// A JSON value.
    Json,
    /// Other text.
    Text,
    /// Bytes.
    Binary,
}
