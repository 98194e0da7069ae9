//! What the core specification demands of the value of one attribute.

use base64_simd::STANDARD;

use super::attribute::{AttributeType, CoreAttribute};
use super::canonical::integer;
use super::media_type::{APPLICATION_JSON, is_media_type};
use super::text::is_attribute_text;
use super::timestamp::is_timestamp;
use super::uri::{is_absolute_uri, is_uri_reference};
use crate::error::AttributeFault;

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

/// What every attribute must be: text without control characters and noncharacters.
#[inline]
pub(super) fn check_text(text: &str) -> Result<(), AttributeFault> {
    check_form(AttributeType::String, text)
}

/// What the core specification demands of a core attribute that is set.
#[inline]
pub(crate) fn check_core(core: CoreAttribute, text: &str) -> Result<(), AttributeFault> {
    if text.is_empty() {
        return Err(AttributeFault::Empty);
    }
    let (is_valid, fault) = match core {
        CoreAttribute::SpecVersion => (text == "1.0", AttributeFault::SpecVersion),
        // What nearly every event says.
        CoreAttribute::DataContentType if text == APPLICATION_JSON => return Ok(()),
        CoreAttribute::DataContentType => {
            check_text(text)?;
            (is_media_type(text), AttributeFault::MediaType)
        }
        _ => return check_form(core.ty(), text),
    };
    if is_valid { Ok(()) } else { Err(fault) }
}
