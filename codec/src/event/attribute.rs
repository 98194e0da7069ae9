//! The one table of context attributes, and the register of extension types.

/// The type of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(
    clippy::exhaustive_enums,
    reason = "the core specification names exactly these seven"
)]
pub enum AttributeType {
    /// `Boolean`
    Boolean,
    /// `Integer`: 32 bits
    Integer,
    /// `String`
    String,
    /// `Binary`
    Binary,
    /// `URI`
    Uri,
    /// `URI-reference`
    UriReference,
    /// `Timestamp`
    Timestamp,
}

/// Types of extension attributes, which headers cannot carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {}

impl Register {
    /// The same register with one more extension.
    #[must_use]
    pub fn with(self, _name: &str, _ty: AttributeType) -> Self {
        self
    }
}
