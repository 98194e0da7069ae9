//! Errors of the JSON grammar.

use std::fmt;

/// What breaks the JSON grammar. Sections are those of RFC 8259.
///
/// ```
/// use cloudevents_nl_codec::{JsonFault, JsonText};
///
/// let fault = |text: &'static str| JsonText::new(text).unwrap_err().fault;
/// assert_eq!(fault("[1."), JsonFault::UnexpectedEnd);
/// assert_eq!(fault("[1.]"), JsonFault::Number);
/// assert_eq!(fault("[1] 2"), JsonFault::TrailingText);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonFault {
    /// The text ends inside a value.
    UnexpectedEnd,
    /// A byte that cannot stand there.
    UnexpectedByte,
    /// An unescaped control character, U+0000 to U+001F, in a string (section 7).
    ControlCharacter,
    /// A backslash that begins no escape (section 7).
    Escape,
    /// A number that is not one: a minus, a point or an exponent without digits (section 6).
    Number,
    /// Something other than white space after the value.
    TrailingText,
    /// A byte order mark at the beginning (section 8.1).
    ByteOrderMark,
    /// Bytes that are not UTF-8 (section 8.1).
    NotUtf8,
    /// An escaped surrogate without its other half, where text is needed (section 8.2). Inside JSON
    /// data it may stand.
    LoneSurrogate,
    /// More levels of nesting than the limit (section 9 lets a parser have one).
    TooDeep,
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnexpectedEnd => "the JSON text ends too early",
            Self::UnexpectedByte => "a byte that JSON does not allow there",
            Self::ControlCharacter => "an unescaped control character; write it as an escape",
            Self::Escape => "a backslash that begins no JSON escape",
            Self::Number => "a number without the digits JSON asks for",
            Self::TrailingText => "text after the JSON value; send one value",
            Self::ByteOrderMark => "a byte order mark; leave it out",
            Self::NotUtf8 => "bytes that are not UTF-8",
            Self::LoneSurrogate => "half a surrogate pair; escape the whole character",
            Self::TooDeep => "nesting deeper than the limit",
        })
    }
}

/// Why a text is no JSON, and where.
///
/// ```
/// use cloudevents_nl_codec::{JsonFault, JsonText};
///
/// let error = JsonText::new(r#"{"a":1,}"#).unwrap_err();
/// assert_eq!((error.fault, error.at), (JsonFault::UnexpectedByte, 7));
/// assert_eq!(error.to_string(), "a byte that JSON does not allow there (byte 7)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault} (byte {at})")]
#[non_exhaustive]
pub struct JsonError {
    /// What is wrong.
    pub fault: JsonFault,
    /// The byte offset of the problem, counted from 0 at the beginning of the text.
    pub at: usize,
}

impl JsonError {
    #[inline]
    pub(crate) const fn new(fault: JsonFault, at: usize) -> Self {
        Self { fault, at }
    }
}
