//! JSON texts as a rule looks at them: what stands where, and nothing thrown away.
//!
//! serde_json says whether a text is JSON. Its raw values borrow from the text, so each knows its
//! offset; numbers keep their spelling, members their order and repeats, and text its lone
//! surrogates. Nothing here recurses, so that depth is nobody's problem, and nothing is shared with
//! the codec: the two are held against each other.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// Whether it is not even UTF-8.
    pub is_not_utf8: bool,
    /// Where it goes wrong, as an offset in bytes.
    pub at: usize,
}

/// A whole JSON text.
#[derive(Clone, Debug)]
pub enum Document<'t> {
    /// An object: its members in order, repeats included.
    Object(Vec<Member<'t>>),
    /// An array: its elements.
    Array(Vec<Value<'t>>),
    /// Anything else.
    Other(Value<'t>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member<'t> {
    /// The name, unescaped.
    pub name: Text<'t>,
    /// Where the name begins, as an offset in bytes from the beginning of the body.
    pub name_at: usize,
    /// The value.
    pub value: Value<'t>,
}

/// A value, as it is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'t> {
    /// Its text, without white space around it.
    pub raw: &'t str,
    /// Where it begins, as an offset in bytes from the beginning of the body.
    pub at: usize,
}

/// The text of a JSON string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<'t> {
    /// The text; U+FFFD stands where it has a lone surrogate.
    pub text: Cow<'t, str>,
    /// Whether it has a lone surrogate, and therefore is no Unicode text.
    pub is_broken: bool,
}

/// Reads a text. `base` is added to every offset.
///
/// # Errors
/// When it is not JSON in UTF-8 (RFC 8259).
pub fn parse(bytes: &[u8]) -> Result<Document<'_>, JsonFault> {
    let text = str::from_utf8(bytes).map_err(|error| JsonFault {
        is_not_utf8: true,
        at: error.valid_up_to(),
    })?;
    document(text, text).map_err(|error| JsonFault {
        is_not_utf8: false,
        at: offset(text, error.line(), error.column()),
    })
}

fn document<'t>(whole: &'t str, text: &'t str) -> Result<Document<'t>, serde_json::Error> {
    let at = |raw: &'t RawValue| Value {
        raw: raw.get(),
        at: raw.get().as_ptr() as usize - whole.as_ptr() as usize,
    };
    match text.trim_start_matches([' ', '\t', '\n', '\r']).as_bytes() {
        [b'{', ..] => {
            let Members(members) = serde_json::from_str(text)?;
            let members = members.into_iter().map(|(name, value)| Member {
                name: unescape(name.get()),
                name_at: at(name).at,
                value: at(value),
            });
            Ok(Document::Object(members.collect()))
        }
        [b'[', ..] => {
            let elements: Vec<&RawValue> = serde_json::from_str(text)?;
            Ok(Document::Array(elements.into_iter().map(at).collect()))
        }
        _ => Ok(Document::Other(at(serde_json::from_str(text)?))),
    }
}

impl<'t> Value<'t> {
    /// The members of an object that lies in `whole`, `None` when this is none.
    #[must_use]
    pub fn members(&self) -> Option<Vec<Member<'t>>> {
        match document(self.raw, self.raw) {
            Ok(Document::Object(mut members)) => {
                for member in &mut members {
                    member.name_at += self.at;
                    member.value.at += self.at;
                }
                Some(members)
            }
            _ => None,
        }
    }

    /// The text of a string, `None` when this is none.
    #[must_use]
    pub fn text(&self) -> Option<Text<'t>> {
        self.raw.starts_with('"').then(|| unescape(self.raw))
    }

    /// Whether this is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.raw == "null"
    }
}

/// The offset of a line and a column, which count from 1 and in bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = before.map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// The text of a string that serde_json has let pass, its quotes around it.
fn unescape(quoted: &str) -> Text<'_> {
    let inside = quoted.get(1..quoted.len().saturating_sub(1));
    let inside = inside.unwrap_or(quoted);
    let mut text = Text {
        text: Cow::Borrowed(inside),
        is_broken: false,
    };
    if !inside.contains('\\') {
        return text;
    }
    let mut units = Vec::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        let unit = match character {
            '\\' => match characters.next() {
                Some('b') => 0x08,
                Some('f') => 0x0C,
                Some('n') => 0x0A,
                Some('r') => 0x0D,
                Some('t') => 0x09,
                Some('u') => characters
                    .by_ref()
                    .take(4)
                    .filter_map(|digit| digit.to_digit(16))
                    .fold(0, |unit, digit| unit << 4 | digit as u16),
                escaped => escaped.map_or(0, |escaped| escaped as u16),
            },
            character => {
                units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
                continue;
            }
        };
        units.push(unit);
    }
    let decoded = char::decode_utf16(units).map(|character| {
        character.unwrap_or_else(|_| {
            text.is_broken = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    text.text = Cow::Owned(decoded.collect());
    text
}

/// Members in order, each spelled as it is.
struct Members<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let members = std::iter::from_fn(|| map.next_entry().transpose());
                members.collect::<Result<_, _>>().map(Members)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Vec<(String, bool, usize, String, usize)> {
        match parse(text.as_bytes()) {
            Ok(Document::Object(members)) => members
                .into_iter()
                .map(
                    |Member {
                         name,
                         name_at,
                         value,
                     }| {
                        let raw = value.raw.to_owned();
                        (
                            name.text.into_owned(),
                            name.is_broken,
                            name_at,
                            raw,
                            value.at,
                        )
                    },
                )
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keeps_order_repeats_spelling_and_places() {
        let text = " {\"a\" : 1.50,\n\"\\u0061\":[ 1 ] , \"\\ud83d\":\"\\uD83D\\uDE00\"}";
        let expected = [
            ("a", false, 2, "1.50", 8),
            ("a", false, 14, "[ 1 ]", 23),
            ("\u{fffd}", true, 31, "\"\\uD83D\\uDE00\"", 40),
        ];
        let expected = expected.map(|(name, broken, at, raw, value_at)| {
            (name.to_owned(), broken, at, raw.to_owned(), value_at)
        });
        assert_eq!(members(text), expected);
    }

    #[test]
    fn unescapes_and_tells_what_is_no_text() {
        for (raw, expected, is_broken) in [
            (r#""""#, "", false),
            (r#""a\"\\\/\b\f\n\r\té""#, "a\"\\/\u{8}\u{c}\n\r\té", false),
            (r#""\uD83D\uDE00\u0041""#, "😀A", false),
            (r#""x\uD83Dy""#, "x\u{fffd}y", true),
            (r#""\uDE00\uD83D""#, "\u{fffd}\u{fffd}", true),
        ] {
            let text = Value { raw, at: 0 }.text().expect("a string");
            assert_eq!((&*text.text, text.is_broken), (expected, is_broken));
        }
        assert_eq!(Value { raw: "1", at: 0 }.text(), None);
    }

    #[test]
    fn says_where_a_text_goes_wrong() {
        for (text, is_not_utf8, at) in [
            (&b""[..], false, 0),
            (b"{\"a\":1,}", false, 7),
            (b"{\"a\":\n 01}", false, 8),
            (b"{} x", false, 3),
            (b"{\"a\":\"\xC3(\"}", true, 6),
            (b"\xEF\xBB\xBF{}", false, 0),
        ] {
            let fault = parse(text).expect_err("no JSON");
            assert_eq!(fault, JsonFault { is_not_utf8, at }, "{text:?}");
        }
    }

    #[test]
    fn depth_is_nobodys_problem() {
        let text = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(members(&text).len(), 1);
    }
}
