//! The grammars of attribute values, as other crates read them.
//!
//! Where a crate is laxer or stricter than the standard, the difference is taken out here:
//! - `time` takes any character between date and time, where RFC 3339 has `T` in its grammar;
//! - `mime` follows the tokens of RFC 9110, which lack `{` and `}`; it takes a media type that ends
//!   too early (`a/`, `a/b;`, `a/b;c=`) and non-ASCII text in quotes, and refuses an empty quoted
//!   string, a backslash in one, and space before a semicolon. For such texts it says nothing here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mime::Mime;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode, utf8_percent_encode};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A `URI-reference` of RFC 3986.
pub(crate) fn is_uri_reference(text: &str) -> bool {
    fluent_uri::UriRef::parse(text).is_ok()
}

/// An `absolute-URI` of RFC 3986, which has no fragment.
pub(crate) fn is_absolute_uri(text: &str) -> bool {
    fluent_uri::Uri::parse(text).is_ok_and(|uri| uri.fragment().is_none())
}

/// A `date-time` of RFC 3339.
pub(crate) fn is_timestamp(text: &str) -> bool {
    matches!(text.as_bytes().get(10), Some(b'T' | b't'))
        && OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

/// The bytes of a text in Base64 with padding.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// A text without control characters and noncharacters.
pub(crate) fn is_attribute_text(text: &str) -> bool {
    let is_noncharacter =
        |c: char| ('\u{fdd0}'..='\u{fdef}').contains(&c) || u32::from(c) % 0x1_0000 >= 0xFFFE;
    !text.contains(|c: char| c.is_control() || is_noncharacter(c))
}

/// What `mime` says of a media type, or `None` where it follows other rules.
pub(crate) fn media_type(text: &str) -> Option<Result<Mime, mime::FromStrError>> {
    let is_theirs = text.is_ascii()
        && !text.contains(['{', '}', '\\'])
        && !text.contains("\"\"")
        && !text.ends_with(['/', '=', ' '])
        && !text.contains(" ;")
        && !text.contains(";;")
        // A subtype that is a suffix only.
        && !text.contains("/+");
    is_theirs.then(|| text.parse())
}

/// Whether a media type means JSON.
pub(crate) fn is_json(media_type: &Mime) -> bool {
    let subtype = media_type.suffix().unwrap_or_else(|| media_type.subtype());
    subtype == mime::JSON
}

/// Whether a media type means text in some charset.
pub(crate) fn is_text(media_type: &Mime) -> bool {
    let subtype = media_type.suffix().unwrap_or_else(|| media_type.subtype());
    media_type.type_() == mime::TEXT || subtype == mime::XML
}

/// What a header value on HTTP or NATS encodes: all but printable ASCII, and these.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%');

/// A header value as the bindings for HTTP and NATS write it.
pub(crate) fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The text of a header value that is not in quotes; `None` when it is no text.
pub(crate) fn percent_decoded(value: &[u8]) -> Option<String> {
    let value = percent_decode(value).decode_utf8().ok()?;
    Some(value.into_owned())
}
