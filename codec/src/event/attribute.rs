//! The one table of context attributes, and the register of extension types.

use std::borrow::Cow;

use super::value::Value;
use crate::lanes::{Lanes, WIDTH};

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

/// The attributes of the core specification, in the order they are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    SpecVersion,
    Id,
    Source,
    Type,
    DataContentType,
    DataSchema,
    Subject,
    Time,
}

impl Core {
    pub(crate) const ALL: [Self; 8] = [
        Self::SpecVersion,
        Self::Id,
        Self::Source,
        Self::Type,
        Self::DataContentType,
        Self::DataSchema,
        Self::Subject,
        Self::Time,
    ];
    pub(crate) const REQUIRED: [Self; 4] = [Self::SpecVersion, Self::Id, Self::Source, Self::Type];

    /// [`Self::bit`] of all required ones.
    pub(crate) const REQUIRED_BITS: u8 =
        Self::SpecVersion.bit() | Self::Id.bit() | Self::Source.bit() | Self::Type.bit();

    #[inline]
    pub(crate) fn of(name: &str) -> Option<Self> {
        // The length leaves one candidate, or two that differ in the second byte.
        let candidate = match (name.len(), name.as_bytes().get(1)) {
            (4, Some(b'i')) => Self::Time,
            (length, _) => Self::OF_LENGTH[length.min(Self::OF_LENGTH.len() - 1)],
        };
        (name == candidate.name()).then_some(candidate)
    }

    /// The attribute with a name of that many bytes, other than `time`; any where there is none.
    const OF_LENGTH: [Self; 17] = {
        let mut table = [Self::Id; 17];
        let mut core = Self::ALL.len() - 1;
        while core > 0 {
            core -= 1;
            table[Self::ALL[core].name().len()] = Self::ALL[core];
        }
        table
    };

    pub(crate) const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    const NAMES: [&str; Self::ALL.len()] = [
        "specversion",
        "id",
        "source",
        "type",
        "datacontenttype",
        "dataschema",
        "subject",
        "time",
    ];

    pub(crate) fn is_required(self) -> bool {
        Self::REQUIRED.contains(&self)
    }

    /// The typed value of this attribute.
    pub(crate) fn value(self, text: &str) -> Value<'_> {
        let text = Cow::Borrowed(text);
        match self {
            Self::Source => Value::UriReference(text),
            Self::DataSchema => Value::Uri(text),
            Self::Time => Value::Timestamp(text),
            _ => Value::String(text),
        }
    }

    /// One bit per attribute, for sets of them.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Whether `name` is made of lower-case letters and digits, and is not the reserved `data`.
#[inline]
pub(crate) fn is_extension_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    let rest = Lanes::rest(bytes, chunks.len() * WIDTH);
    !name.is_empty()
        && name != "data"
        && chunks
            .iter()
            .all(|chunk| Lanes::of(chunk).not_in_names() == 0)
        && rest.lanes.not_in_names() & rest.inside == 0
}

/// Types of extension attributes, which neither headers nor JSON strings can carry.
///
/// It knows the documented extensions; add your own. A value that does not have the form of its
/// registered type stays a `String`: the register restores types, it never refuses.
///
/// ```
/// use cloudevents_nl_codec::{AttributeType, Register};
///
/// let register = Register::default().with("retries", AttributeType::Integer);
/// assert_eq!(register.type_of("retries"), AttributeType::Integer);
/// assert_eq!(register.type_of("dataref"), AttributeType::UriReference);
/// assert_eq!(register.type_of("unheardof"), AttributeType::String);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    added: Vec<(Box<str>, AttributeType)>,
}

impl Register {
    /// The same register with one more extension, or another type for one it had.
    #[must_use]
    pub fn with(mut self, name: &str, ty: AttributeType) -> Self {
        self.added.retain(|(added, _)| **added != *name);
        self.added.push((name.into(), ty));
        self
    }

    /// The type of an extension; `String` when nothing is known.
    #[must_use]
    #[inline]
    pub fn type_of(&self, name: &str) -> AttributeType {
        match self.added.iter().find(|(added, _)| **added == *name) {
            Some((_, ty)) => *ty,
            None => documented(name),
        }
    }
}

/// Extensions documented beside the core specification. The others among them are Strings.
#[inline]
fn documented(name: &str) -> AttributeType {
    match name.as_bytes() {
        b"dataref" => AttributeType::UriReference,
        b"sampledrate" => AttributeType::Integer,
        _ => AttributeType::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_its_own_inverse() {
        for core in Core::ALL {
            assert_eq!(Core::of(core.name()), Some(core));
        }
    }

    #[test]
    fn extension_names_are_lower_case_letters_and_digits() {
        for (name, expected) in [
            ("a", true),
            ("007", true),
            ("abcdefghij0123456789x", true),
            ("", false),
            ("data", false),
            ("data_base64", false),
            ("MyExt", false),
            ("my-ext", false),
            ("gemeenté", false),
            ("`", false),
            ("{", false),
            ("/", false),
            (":", false),
            ("abcdefghijklmnopqrstuvwxyz0123456789", true),
            ("abcdefghijklmnopqrstuvwxyz0123456789-", false),
            ("Abcdefghijklmnopqrstuvwxyz0123456789", false),
        ] {
            assert_eq!(is_extension_name(name), expected, "{name}");
        }
    }
}
