//! The text of an attribute, and which characters a String may hold.

use std::borrow::Cow;
use std::fmt;

use crate::lanes::{Lanes, has_none};

/// The text of a core attribute; verbatim is U+0020 to U+007E without quotes and backslashes, which JSON holds
/// as it is.
#[derive(Clone)]
pub(crate) enum Text<'a> {
    Any(Cow<'a, str>),
    Verbatim(&'a str),
}

impl Text<'_> {
    #[inline(always)]
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Any(text) => text,
            Self::Verbatim(text) => text,
        }
    }

    pub(crate) fn into_owned(self) -> Text<'static> {
        Text::Any(Cow::Owned(self.as_str().to_owned()))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// Whether `text` has no control character, noncharacter or surrogate (CE-TYPES-4 to 6).
pub(crate) fn is_attribute_text(text: &str) -> bool {
    has_none(text.as_bytes(), Lanes::not_printable) || text.chars().all(is_allowed)
}

fn is_allowed(character: char) -> bool {
    let is_control = matches!(character, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}');
    let is_noncharacter =
        matches!(character, '\u{fdd0}'..='\u{fdef}') || u32::from(character) & 0xFFFE == 0xFFFE;
    !is_control && !is_noncharacter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_controls_and_noncharacters_only() {
        for (text, expected) in [
            ("", true),
            (" ~é€😀", true),
            ("\u{a0}\u{e000}\u{fffd}\u{10fffd}", true),
            ("a\tb", false),
            ("\0", false),
            ("\u{7f}", false),
            ("\u{80}", false),
            ("\u{9f}", false),
            ("\u{fdcf}\u{fdf0}", true),
            ("\u{fdd0}", false),
            ("\u{fdef}", false),
            ("\u{fffe}", false),
            ("\u{ffff}", false),
            ("\u{1fffe}", false),
            ("\u{10ffff}", false),
        ] {
            assert_eq!(is_attribute_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn notices_a_control_character_wherever_it_is() {
        for character in '\0'..='\u{7f}' {
            for at in 0..19 {
                let mut text = "a".repeat(19);
                text.replace_range(at..=at, &character.to_string());
                let expected = matches!(character, ' '..='~');
                assert_eq!(is_attribute_text(&text), expected, "{text:?}");
            }
        }
    }
}
