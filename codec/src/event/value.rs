//! The value of an attribute.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use super::attribute::AttributeType;
use super::check::{check_form, integer};
use crate::AttributeFault;

/// A value with its type; text keeps the form it was received in (CloudEvents 1.0.2, "Type System").
///
/// There is none that does not have the form of its type: [`Value::parse`] and `TryFrom` check it.
///
/// ```
/// use cloudevents_nl_codec::{AttributeFault, AttributeType, Value};
///
/// assert_eq!(Value::from(30).to_string(), "30");
/// assert_eq!(Value::try_from("30")?.as_str(), Some("30"));
/// assert_eq!(Value::parse(AttributeType::Integer, "-7"), Ok(Value::Integer(-7)));
/// assert_eq!(Value::parse(AttributeType::Timestamp, "today"), Err(AttributeFault::Timestamp));
/// let Value::Text(text) = Value::binary(b"hoi") else { panic!() };
/// assert_eq!((text.ty(), text.as_str()), (AttributeType::Binary, "aG9p"));
/// # Ok::<(), AttributeFault>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `Boolean`
    Boolean(bool),
    /// `Integer`: 32 bits with a sign
    Integer(i32),
    /// Any other type, all of which are text
    Text(TypedText<'a>),
}

/// Text that has the form of its type; a [`Value`] holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedText<'a> {
    ty: AttributeType,
    text: Cow<'a, str>,
}

impl TypedText<'_> {
    /// The type: neither Boolean nor Integer.
    pub fn ty(&self) -> AttributeType {
        self.ty
    }

    /// The text, which is the canonical string.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<'a> Value<'a> {
    /// The value of a type that `text` is the canonical string of (CloudEvents 1.0.2, "Type System").
    ///
    /// # Errors
    /// The fault that is named after the type; [`AttributeFault::Character`] for a `String`.
    pub fn parse(ty: AttributeType, text: impl Into<Cow<'a, str>>) -> Result<Self, AttributeFault> {
        // Text that is handed back has a fault, which the check names.
        Self::of_type(ty, text.into()).or_else(|text| {
            check_form(ty, &text)?;
            Ok(Self::of_text(ty, text))
        })
    }

    /// A `Binary` that holds these bytes, as Base64 (RFC 4648, section 4).
    #[must_use]
    pub fn binary(bytes: &[u8]) -> Value<'static> {
        let text = base64_simd::STANDARD.encode_to_string(bytes);
        Value::of_text(AttributeType::Binary, Cow::Owned(text))
    }

    /// The text of a value that is neither Boolean nor Integer.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.as_str()),
            Self::Boolean(_) | Self::Integer(_) => None,
        }
    }

    /// The canonical string (CloudEvents 1.0.2, "Type System"): what a header carries, before
    /// percent-coding. `Display` writes it.
    pub fn text(&self) -> Cow<'_, str> {
        self.borrowed().into_text()
    }

    /// As [`Self::text`], in a buffer that holds the longest Integer.
    #[inline]
    pub(crate) fn text_in<'t>(&'t self, buffer: &'t mut [u8; 11]) -> &'t str {
        match self {
            Self::Boolean(value) => boolean_text(*value),
            Self::Integer(value) => {
                let mut free = &mut buffer[..];
                write!(free, "{value}").expect("a sign and ten digits are the most");
                let length = 11 - free.len();
                str::from_utf8(&buffer[..length]).expect("digits are ASCII")
            }
            Self::Text(text) => text.as_str(),
        }
    }

    /// The canonical string, for as long as the value could be kept.
    #[must_use]
    pub fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Boolean(value) => Cow::Borrowed(boolean_text(value)),
            Self::Integer(value) => Cow::Owned(value.to_string()),
            Self::Text(text) => text.text,
        }
    }

    /// The type, which headers and JSON strings do not carry.
    pub fn ty(&self) -> AttributeType {
        match self {
            Self::Boolean(_) => AttributeType::Boolean,
            Self::Integer(_) => AttributeType::Integer,
            Self::Text(text) => text.ty,
        }
    }

    #[inline]
    pub(crate) fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Boolean(value) => Value::Boolean(*value),
            Self::Integer(value) => Value::Integer(*value),
            Self::Text(text) => Value::of_text(text.ty, Cow::Borrowed(&text.text)),
        }
    }

    /// Takes text that is known to have the form of its type.
    #[inline(always)]
    pub(crate) fn of_text(ty: AttributeType, text: Cow<'a, str>) -> Self {
        Self::Text(TypedText { ty, text })
    }

    /// The value of a type that `text` is the canonical string of, or the text back.
    #[inline(never)]
    pub(crate) fn of_type(ty: AttributeType, text: Cow<'a, str>) -> Result<Self, Cow<'a, str>> {
        match ty {
            AttributeType::Boolean => text.parse().map(Self::Boolean).or(Err(text)),
            AttributeType::Integer => integer(&text).map(Self::Integer).ok_or(text),
            _ if check_form(ty, &text).is_ok() => Ok(Self::of_text(ty, text)),
            _ => Err(text),
        }
    }

    /// Detaches the value from its buffer, as [`Event::into_owned`](crate::Event::into_owned) shows.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Boolean(value) => Value::Boolean(value),
            Self::Integer(value) => Value::Integer(value),
            Self::Text(TypedText { ty, text }) => Value::of_text(ty, Cow::Owned(text.into_owned())),
        }
    }
}

const fn boolean_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// The canonical string.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// A `Boolean`.
impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

/// An `Integer`.
impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Self::Integer(value)
    }
}

/// A `String`, borrowed.
impl<'a> TryFrom<&'a str> for Value<'a> {
    type Error = AttributeFault;

    fn try_from(text: &'a str) -> Result<Self, AttributeFault> {
        Self::parse(AttributeType::String, text)
    }
}

/// A `String`.
impl TryFrom<String> for Value<'_> {
    type Error = AttributeFault;

    fn try_from(text: String) -> Result<Self, AttributeFault> {
        Self::parse(AttributeType::String, text)
    }
}

/// A `String`, borrowed or owned.
impl<'a> TryFrom<Cow<'a, str>> for Value<'a> {
    type Error = AttributeFault;

    fn try_from(text: Cow<'a, str>) -> Result<Self, AttributeFault> {
        Self::parse(AttributeType::String, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Register;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for number in [0, 7, -7, 10, 999_999_999, i32::MAX, i32::MIN] {
            let value = Value::Integer(number);
            assert_eq!(value.text_in(&mut [0; 11]), number.to_string());
        }
    }

    #[test]
    fn a_value_of_another_form_stays_a_string() {
        let register = Register::default()
            .with("flag", AttributeType::Boolean)
            .with("when", AttributeType::Timestamp)
            .with("raw", AttributeType::Binary);
        for (name, text, expected) in [
            ("sampledrate", "30", AttributeType::Integer),
            ("sampledrate", "030", AttributeType::String),
            ("flag", "true", AttributeType::Boolean),
            ("flag", "True", AttributeType::String),
            ("dataref", "/a", AttributeType::UriReference),
            ("dataref", "/a b", AttributeType::String),
            ("when", "2021-12-10T17:31:00Z", AttributeType::Timestamp),
            ("when", "today", AttributeType::String),
            ("raw", "TWE=", AttributeType::Binary),
            ("raw", "TWE", AttributeType::String),
            ("other", "5", AttributeType::String),
        ] {
            let value = Value::of_type(register.type_of(name), Cow::Borrowed(text));
            let value = value.or_else(Value::try_from).unwrap();
            assert_eq!((value.ty(), &*value.text()), (expected, text), "{name}");
        }
    }
}
