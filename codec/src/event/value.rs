//! The value of an attribute.

use std::borrow::Cow;

/// A value with its type; text keeps the form it was received in.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "the core specification names exactly these seven"
)]
pub enum Value<'a> {
    /// `Boolean`
    Boolean(bool),
    /// `Integer`
    Integer(i32),
    /// `String`
    String(Cow<'a, str>),
    /// `Binary`, in its canonical Base64 text
    Binary(Cow<'a, str>),
    /// `URI`
    Uri(Cow<'a, str>),
    /// `URI-reference`
    UriReference(Cow<'a, str>),
    /// `Timestamp`
    Timestamp(Cow<'a, str>),
}

impl Value<'_> {
    /// The canonical string of the core specification, section 3.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        unimplemented!()
    }
}
