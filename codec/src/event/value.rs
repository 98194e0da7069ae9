//! The value of an attribute.

use std::borrow::Cow;

use super::attribute::{AttributeType, CoreAttribute, Register};
use super::{timestamp, uri};

/// A value with its type; text keeps the form it was received in (CloudEvents 1.0.2, "Type System").
///
/// ```
/// use cloudevents_nl_codec::{AttributeType, Value};
///
/// assert_eq!(Value::from(true), Value::Boolean(true));
/// assert_eq!(Value::from(30).text(), "30");
/// assert_eq!(Value::from(30).ty(), AttributeType::Integer);
/// assert_eq!(Value::from("30"), Value::String("30".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "the core specification names exactly these seven"
)]
pub enum Value<'a> {
    /// `Boolean`
    Boolean(bool),
    /// `Integer`: 32 bits with a sign
    Integer(i32),
    /// `String`: Unicode without control characters and noncharacters
    String(Cow<'a, str>),
    /// `Binary`, in its canonical Base64 text (RFC 4648, section 4)
    Binary(Cow<'a, str>),
    /// `URI`: an absolute one (RFC 3986, section 4.3)
    Uri(Cow<'a, str>),
    /// `URI-reference` (RFC 3986, section 4.1)
    UriReference(Cow<'a, str>),
    /// `Timestamp`: a date-time (RFC 3339, section 5.6)
    Timestamp(Cow<'a, str>),
}

impl<'a> Value<'a> {
    /// The canonical string (CloudEvents 1.0.2, "Type System"): what a header carries, before
    /// percent-coding.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Boolean(value) => Cow::Borrowed(boolean_text(*value)),
            Self::Integer(value) => Cow::Owned(value.to_string()),
            Self::String(text)
            | Self::Binary(text)
            | Self::Uri(text)
            | Self::UriReference(text)
            | Self::Timestamp(text) => Cow::Borrowed(text),
        }
    }

    /// The type, which headers and JSON strings do not carry.
    #[must_use]
    pub fn ty(&self) -> AttributeType {
        match self {
            Self::Boolean(_) => AttributeType::Boolean,
            Self::Integer(_) => AttributeType::Integer,
            Self::String(_) => AttributeType::String,
            Self::Binary(_) => AttributeType::Binary,
            Self::Uri(_) => AttributeType::Uri,
            Self::UriReference(_) => AttributeType::UriReference,
            Self::Timestamp(_) => AttributeType::Timestamp,
        }
    }

    /// The same value, borrowed.
    #[inline]
    pub(crate) fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Boolean(value) => Value::Boolean(*value),
            Self::Integer(value) => Value::Integer(*value),
            Self::String(text) => Value::String(Cow::Borrowed(text)),
            Self::Binary(text) => Value::Binary(Cow::Borrowed(text)),
            Self::Uri(text) => Value::Uri(Cow::Borrowed(text)),
            Self::UriReference(text) => Value::UriReference(Cow::Borrowed(text)),
            Self::Timestamp(text) => Value::Timestamp(Cow::Borrowed(text)),
        }
    }

    /// A `Binary` that holds these bytes, as Base64 (RFC 4648, section 4).
    ///
    /// ```
    /// use cloudevents_nl_codec::Value;
    ///
    /// assert_eq!(Value::binary(b"hoi"), Value::Binary("aG9p".into()));
    /// ```
    #[must_use]
    pub fn binary(bytes: &[u8]) -> Value<'static> {
        Value::Binary(base64_simd::STANDARD.encode_to_string(bytes).into())
    }

    /// The value of a core attribute.
    pub(crate) fn of_core(core: CoreAttribute, text: &'a str) -> Self {
        let text = Cow::Borrowed(text);
        match core {
            CoreAttribute::Source => Self::UriReference(text),
            CoreAttribute::DataSchema => Self::Uri(text),
            CoreAttribute::Time => Self::Timestamp(text),
            _ => Self::String(text),
        }
    }

    /// Gives text the type that the register has for it, or leaves it a `String`.
    #[inline]
    pub(crate) fn typed(register: &Register, name: &str, text: Cow<'a, str>) -> Self {
        let ty = register.type_of(name);
        if ty == AttributeType::String {
            return Self::String(text);
        }
        Self::of_type(ty, text).unwrap_or_else(Self::String)
    }

    /// The value of a type that `text` is the canonical string of, or the text back.
    pub(crate) fn of_type(ty: AttributeType, text: Cow<'a, str>) -> Result<Self, Cow<'a, str>> {
        match ty {
            AttributeType::Boolean => match &*text {
                "true" => Ok(Self::Boolean(true)),
                "false" => Ok(Self::Boolean(false)),
                _ => Err(text),
            },
            AttributeType::Integer => integer(text.as_bytes()).map(Self::Integer).ok_or(text),
            AttributeType::String => Ok(Self::String(text)),
            AttributeType::Binary if is_base64(&text) => Ok(Self::Binary(text)),
            AttributeType::Uri if uri::is_absolute_uri(&text) => Ok(Self::Uri(text)),
            AttributeType::UriReference if uri::is_uri_reference(&text) => {
                Ok(Self::UriReference(text))
            }
            AttributeType::Timestamp if timestamp::is_timestamp(&text) => Ok(Self::Timestamp(text)),
            _ => Err(text),
        }
    }

    /// Detaches the value from its buffer.
    ///
    /// ```
    /// use cloudevents_nl_codec::Value;
    ///
    /// let buffer = String::from("0042");
    /// let value: Value<'static> = Value::from(buffer.as_str()).into_owned();
    /// drop(buffer);
    /// assert_eq!(value, Value::String("0042".into()));
    /// ```
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Boolean(value) => Value::Boolean(value),
            Self::Integer(value) => Value::Integer(value),
            Self::String(text) => Value::String(owned(text)),
            Self::Binary(text) => Value::Binary(owned(text)),
            Self::Uri(text) => Value::Uri(owned(text)),
            Self::UriReference(text) => Value::UriReference(owned(text)),
            Self::Timestamp(text) => Value::Timestamp(owned(text)),
        }
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
impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(text.into())
    }
}

/// A `String`.
impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

/// A `String`, borrowed or owned.
impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::String(text)
    }
}

pub(crate) const fn boolean_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// The 32-bit number that `text` is the canonical string of. `-0` is not canonical.
pub(crate) fn integer(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_canonical = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !is_canonical {
        return None;
    }
    let magnitude = digits
        .iter()
        .fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    let is_negative = digits.len() != text.len();
    i32::try_from(if is_negative { -magnitude } else { magnitude }).ok()
}

/// The canonical string of an Integer, without an allocation.
pub(crate) struct Digits {
    bytes: [u8; 11],
    start: usize,
}

impl Digits {
    pub(crate) fn of(value: i32) -> Self {
        let mut digits = Self {
            bytes: [0; 11],
            start: 11,
        };
        let mut rest = value.unsigned_abs();
        loop {
            digits.push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            digits.push(b'-');
        }
        digits
    }

    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.bytes[self.start..]).expect("digits are ASCII")
    }
}

fn is_base64(text: &str) -> bool {
    base64_simd::STANDARD.check(text.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_canonical_and_within_32_bits() {
        for (text, expected) in [
            ("0", Some(0)),
            ("5", Some(5)),
            ("-17", Some(-17)),
            ("2147483647", Some(i32::MAX)),
            ("-2147483648", Some(i32::MIN)),
            ("2147483648", None),
            ("-2147483649", None),
            ("99999999999999999999", None),
            ("-0", None),
            ("0083", None),
            ("+5", None),
            ("5.0", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for value in [0, 7, -7, 10, 999_999_999, i32::MAX, i32::MIN] {
            assert_eq!(Digits::of(value).text(), value.to_string());
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
            let value = Value::typed(&register, name, Cow::Borrowed(text));
            assert_eq!((value.ty(), &*value.text()), (expected, text), "{name}");
        }
    }
}
