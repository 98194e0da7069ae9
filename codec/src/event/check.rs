//! What the core specification demands of the value of one attribute.

use base64_simd::STANDARD;

use super::attribute::{AttributeType, CoreAttribute};
use super::media_type::{APPLICATION_JSON, is_media_type};
use super::timestamp::is_timestamp;
use super::uri::{is_absolute_uri, is_uri_reference};
use crate::error::AttributeFault;
use crate::lanes::{Lanes, has_none};

/// What a value of this type must be. Always inlined, so that of a known type only its own check is left.
#[inline(always)]
pub(super) fn check_form(ty: AttributeType, text: &str) -> Result<(), AttributeFault> {
    let (is_valid, fault) = match ty {
        AttributeType::Boolean => (text.parse::<bool>().is_ok(), AttributeFault::NotABoolean),
        AttributeType::Integer => (integer(text).is_some(), AttributeFault::NotAnInteger),
        AttributeType::String => (is_attribute_text(text), AttributeFault::Character),
        AttributeType::Binary => (
            STANDARD.check(text.as_bytes()).is_ok(),
            AttributeFault::Base64,
        ),
        AttributeType::Uri => (is_absolute_uri(text), AttributeFault::Uri),
        AttributeType::UriReference => (is_uri_reference(text), AttributeFault::UriReference),
        AttributeType::Timestamp => (is_timestamp(text), AttributeFault::Timestamp),
    };
    if is_valid { Ok(()) } else { Err(fault) }
}

#[inline]
pub(crate) fn check_core(core: CoreAttribute, text: &str) -> Result<(), AttributeFault> {
    let (is_valid, fault) = match core {
        _ if text.is_empty() => (false, AttributeFault::Empty),
        CoreAttribute::SpecVersion => (text == "1.0", AttributeFault::SpecVersion),
        CoreAttribute::DataContentType if text == APPLICATION_JSON => return Ok(()),
        CoreAttribute::DataContentType if is_attribute_text(text) => {
            (is_media_type(text), AttributeFault::MediaType)
        }
        _ => return check_form(core.ty(), text),
    };
    if is_valid { Ok(()) } else { Err(fault) }
}

/// The 32-bit number that `text` is the canonical string of. `-0` is not canonical.
pub(crate) fn integer(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = text == "0" || digits.starts_with(|first| matches!(first, '1'..='9'));
    text.parse().ok().filter(|_| is_canonical)
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
            assert_eq!(integer(text), expected, "{text}");
        }
    }

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
