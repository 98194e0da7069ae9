//! Media types, and the content mode they announce.

/// How an event travels in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(
    clippy::exhaustive_enums,
    reason = "the core specification names exactly these three"
)]
pub enum ContentMode {
    /// The whole event is the body.
    Structured,
    /// Attributes are headers, data is the body.
    Binary,
    /// The body is an array of events (HTTP only).
    Batched,
}

/// Whether a media type means JSON: subtype `json` or a subtype that ends in `+json`.
#[must_use]
pub fn is_json(_media_type: &str) -> bool {
    unimplemented!()
}
