//! A JSON text that carries the proof of its validity.

use std::borrow::Cow;
use std::fmt;

use super::scan::validate;
use crate::error::json::JsonError;
use crate::limits::DEPTH_MAX;

/// A JSON text that is known to be valid (RFC 8259), kept verbatim: number forms, escapes, white space, order.
/// JSON is validated once: the decoder makes this proof, an event carries it, and the encoders copy the text without
/// another look, however many hops a process makes of one event. Only [`Self::new`] looks at a text that you bring.
///
/// ```
/// use cloudevents_nl_codec::{JsonFault, JsonText};
///
/// let text = JsonText::new(r#"{"amount": 1.50}"#)?;
/// assert_eq!(text.to_string(), r#"{"amount": 1.50}"#);
/// let error = JsonText::new(r#"{"a":1,}"#).unwrap_err();
/// assert_eq!((error.fault, error.at), (JsonFault::UnexpectedByte, 7));
/// assert_eq!(error.to_string(), "a byte that JSON does not allow there (byte 7)");
/// # Ok::<(), cloudevents_nl_codec::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JsonText<'a>(Cow<'a, str>);

impl<'a> JsonText<'a> {
    /// Takes a text that is exactly one value under RFC 8259, nested at most 127 levels deep.
    ///
    /// # Errors
    /// Says what breaks the grammar, and at which byte; [`JsonFault::TooDeep`](crate::JsonFault::TooDeep)
    /// beyond 127 levels.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, JsonError> {
        let text = text.into();
        validate(&text, DEPTH_MAX)?;
        Ok(Self(text))
    }

    /// Takes a text that the reader has just walked over.
    #[inline]
    pub(crate) fn already_validated(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The text, byte for byte as it was given.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, for as long as it could be kept, as [`Event::data_at`](crate::Event::data_at) shows.
    #[must_use]
    pub fn into_text(self) -> Cow<'a, str> {
        self.0
    }

    /// Detaches the text from its buffer, as [`Event::into_owned`](crate::Event::into_owned) shows.
    #[must_use]
    pub fn into_owned(self) -> JsonText<'static> {
        JsonText(Cow::Owned(self.0.into_owned()))
    }
}

/// The text, byte for byte.
impl From<JsonText<'_>> for String {
    fn from(json: JsonText<'_>) -> Self {
        json.0.into_owned()
    }
}

impl fmt::Display for JsonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::json::JsonFault;

    fn check(text: &str, expected: Result<(), (JsonFault, usize)>) {
        let result = JsonText::new(text).map(|_| ()).map_err(|e| (e.fault, e.at));
        assert_eq!(result, expected, "{text}");
    }

    #[test]
    fn accepts_every_kind_of_value_verbatim() {
        for text in [
            "0",
            "-0",
            "1e400",
            "1.50E-2",
            "12345678901234567890123",
            "true",
            "false",
            "null",
            "\"\"",
            r#""\ud83d""#,
            r#""\u00e9\"\\\/\b\f\n\r\t""#,
            "[]",
            "{}",
            " [ ] ",
            "\t{ }\r\n",
            r#"{"a":{"b":[1,[],{},"x"]},"a":2}"#,
            "\"\u{7f}\"",
            "[1 , 2]",
            "{\n        \"a\" : 1}",
        ] {
            check(text, Ok(()));
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (text, fault, at) in [
            ("", JsonFault::UnexpectedEnd, 0),
            (" ", JsonFault::UnexpectedEnd, 1),
            ("{", JsonFault::UnexpectedEnd, 1),
            ("[1", JsonFault::UnexpectedEnd, 2),
            ("\"a", JsonFault::UnexpectedEnd, 2),
            ("\"\\", JsonFault::UnexpectedEnd, 2),
            ("\"\\u12", JsonFault::UnexpectedEnd, 5),
            ("[1,]", JsonFault::UnexpectedByte, 3),
            ("[,1]", JsonFault::UnexpectedByte, 1),
            ("{\"a\":1,}", JsonFault::UnexpectedByte, 7),
            ("{\"a\" 1}", JsonFault::UnexpectedByte, 5),
            ("{a:1}", JsonFault::UnexpectedByte, 1),
            ("[1}", JsonFault::UnexpectedByte, 2),
            ("[\u{0}]", JsonFault::UnexpectedByte, 1),
            ("nul", JsonFault::UnexpectedByte, 0),
            ("truee", JsonFault::TrailingText, 4),
            ("01", JsonFault::TrailingText, 1),
            ("1 2", JsonFault::TrailingText, 2),
            ("-", JsonFault::UnexpectedEnd, 1),
            ("-x", JsonFault::Number, 1),
            ("1.", JsonFault::UnexpectedEnd, 2),
            ("[1.]", JsonFault::Number, 3),
            ("[1e+]", JsonFault::Number, 4),
            (".5", JsonFault::UnexpectedByte, 0),
            ("+1", JsonFault::UnexpectedByte, 0),
            ("\"a\nb\"", JsonFault::ControlCharacter, 2),
            ("\"\\uZZZZ\"", JsonFault::Escape, 1),
            ("\"\\u\",1:2\"", JsonFault::Escape, 1),
            ("\"\\x41\"", JsonFault::Escape, 1),
        ] {
            check(text, Err((fault, at)));
        }
    }

    #[test]
    fn counts_levels() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        check(&nested(127), Ok(()));
        check(&nested(128), Err((JsonFault::TooDeep, 127)));
        check(&nested(100_000), Err((JsonFault::TooDeep, 127)));
    }
}
