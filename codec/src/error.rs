//! Errors: a kind and a place, comparable, without sentences.

/// Where in a message the problem is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The message as a whole.
    Message,
    /// A byte offset in the body.
    Byte(usize),
    /// An attribute (a member of the JSON object, or what a header carries).
    Attribute(Box<str>),
    /// A header.
    Header(Box<str>),
}

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Nothing in the message says that it is an event.
    NotACloudEvent,
    /// An event format or mode that this binding or codec does not have.
    UnsupportedFormat,
    /// A limit of [`crate::Limits`] was passed.
    TooLarge,
    /// Placeholder until the codec has its full list.
    Invalid,
}

/// Why a message holds no event, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?} at {place:?}")]
#[non_exhaustive]
pub struct DecodeError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Where.
    pub place: Place,
    /// Which element of a batch, counted from 0.
    pub element: Option<usize>,
}

/// Why an event cannot be written in the mode asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Placeholder until the codec has its full list.
    #[error("this event cannot be written in binary mode")]
    NotInBinaryMode,
}

/// Why an event cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// Placeholder until the codec has its full list.
    #[error("invalid attribute {0}")]
    Invalid(Box<str>),
}
