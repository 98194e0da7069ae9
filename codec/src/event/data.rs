//! The data of an event.

use std::borrow::Cow;

/// What an event carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "bindings.md section 1 names exactly these four"
)]
pub enum Data<'a> {
    /// No data.
    #[default]
    None,
    /// A JSON text, kept verbatim.
    Json(Cow<'a, str>),
    /// Text under a content type that is not JSON.
    Text(Cow<'a, str>),
    /// Bytes.
    Binary(Cow<'a, [u8]>),
}
