//! What the core specification demands of the value of one attribute.

use super::attribute::CoreAttribute;
use super::media_type::{APPLICATION_JSON, is_media_type};
use super::text::is_attribute_text;
use super::timestamp::is_timestamp;
use super::uri::{is_absolute_uri, is_uri_reference};
use crate::error::AttributeFault;

/// What every attribute must be: text without control characters and noncharacters.
#[inline]
pub(super) fn check_text(text: &str) -> Result<(), AttributeFault> {
    if is_attribute_text(text) {
        Ok(())
    } else {
        Err(AttributeFault::Character)
    }
}

/// What the core specification demands of a core attribute that is set.
#[inline]
pub(crate) fn check_core(core: CoreAttribute, text: &str) -> Result<(), AttributeFault> {
    if text.is_empty() {
        return Err(AttributeFault::Empty);
    }
    let (is_valid, fault) = match core {
        CoreAttribute::SpecVersion => (text == "1.0", AttributeFault::SpecVersion),
        CoreAttribute::Source => (is_uri_reference(text), AttributeFault::UriReference),
        CoreAttribute::DataSchema => (is_absolute_uri(text), AttributeFault::Uri),
        CoreAttribute::Time => (is_timestamp(text), AttributeFault::Timestamp),
        // What nearly every event says.
        CoreAttribute::DataContentType if text == APPLICATION_JSON => return Ok(()),
        CoreAttribute::DataContentType => {
            check_text(text)?;
            (is_media_type(text), AttributeFault::MediaType)
        }
        CoreAttribute::Id | CoreAttribute::Type | CoreAttribute::Subject => {
            return check_text(text);
        }
    };
    if is_valid { Ok(()) } else { Err(fault) }
}
