//! Errors of the JSON grammar.

/// What breaks the JSON grammar. Sections are those of RFC 8259. [`JsonText`](crate::JsonText) shows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum JsonFault {
    /// The text ends inside a value.
    #[error("the JSON text ends too early")]
    UnexpectedEnd,
    /// A byte that cannot stand there.
    #[error("a byte that JSON does not allow there")]
    UnexpectedByte,
    /// An unescaped control character, U+0000 to U+001F, in a string (section 7).
    #[error("an unescaped control character; write it as an escape")]
    ControlCharacter,
    /// A backslash that begins no escape (section 7).
    #[error("a backslash that begins no JSON escape")]
    Escape,
    /// A number that is not one: a minus, a point or an exponent without digits (section 6).
    #[error("a number without the digits JSON asks for")]
    Number,
    /// Something other than white space after the value.
    #[error("text after the JSON value; send one value")]
    TrailingText,
    /// A byte order mark at the beginning (section 8.1).
    #[error("a byte order mark; leave it out")]
    ByteOrderMark,
    /// Bytes that are not UTF-8 (section 8.1).
    #[error("bytes that are not UTF-8")]
    NotUtf8,
    /// An escaped surrogate without its other half, where text is needed (section 8.2). Inside JSON data it may stand.
    #[error("half a surrogate pair; escape the whole character")]
    LoneSurrogate,
    /// More levels of nesting than the limit (section 9 lets a parser have one).
    #[error("nesting deeper than the limit")]
    TooDeep,
}

/// Why a text is no JSON, and where. [`JsonText`](crate::JsonText) shows one.
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
    pub(crate) const fn new(fault: JsonFault, at: usize) -> Self {
        Self { fault, at }
    }

    /// The fault of what is at `at`, or the end of the text if there is nothing.
    #[cold]
    pub(crate) fn of(fault: JsonFault, bytes: &[u8], at: usize) -> Self {
        let end = Self::new(JsonFault::UnexpectedEnd, bytes.len());
        bytes.get(at).map_or(end, |_| Self::new(fault, at))
    }
}
