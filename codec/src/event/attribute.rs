//! The one table of context attributes, and the register of extension types.

use std::fmt;

use crate::lanes::{Lanes, WIDTH, has_none};

/// The type of an attribute's value (CloudEvents 1.0.2, "Type System"); [`Value`](crate::Value) shows some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// The name in the specification, such as `URI-reference`.
impl fmt::Display for AttributeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uri => f.write_str("URI"),
            Self::UriReference => f.write_str("URI-reference"),
            _ => fmt::Debug::fmt(self, f),
        }
    }
}

/// The names of the core attributes, in the order of [`CoreAttribute::ALL`], after a prefix.
macro_rules! core_headers {
    ($prefix:literal) => {
        [
            concat!($prefix, "specversion"),
            concat!($prefix, "id"),
            concat!($prefix, "source"),
            concat!($prefix, "type"),
            concat!($prefix, "datacontenttype"),
            concat!($prefix, "dataschema"),
            concat!($prefix, "subject"),
            concat!($prefix, "time"),
        ]
    };
}

pub(crate) use core_headers;

/// The attributes of the core specification, in the order they are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoreAttribute {
    SpecVersion,
    Id,
    Source,
    Type,
    DataContentType,
    DataSchema,
    Subject,
    Time,
}

impl CoreAttribute {
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

    #[inline]
    pub(crate) fn of(name: &str) -> Option<Self> {
        let candidate = Self::candidate(name.as_bytes());
        (name == candidate.name()).then_some(candidate)
    }

    /// The one attribute that may have that name.
    #[inline(always)]
    pub(crate) fn candidate(name: &[u8]) -> Self {
        let at = |at| name.get(at).copied().unwrap_or(b'"');
        Self::BY_HASH[hash(at(2), at(4))]
    }

    /// The attribute whose name a text begins with, a quote after it.
    ///
    /// A hash of two bytes finds the only candidate: a branch on the length or on the name would be mispredicted.
    #[inline(always)]
    pub(crate) fn of_quoted(start: &[u8; WIDTH]) -> Option<Self> {
        let candidate = Self::BY_HASH[hash(start[2], start[4])];
        let same = Lanes::of(start).equal_bytes(Lanes::of(&Self::QUOTED[candidate as usize]));
        let asked = (2_u32 << candidate.name().len()) - 1;
        (same & asked == asked).then_some(candidate)
    }

    /// The one attribute that a name can be, by [`hash`].
    const BY_HASH: [Self; 32] = {
        let mut by_hash = [Self::Id; 32];
        let mut core = 0;
        while core < Self::ALL.len() {
            let quoted = &Self::QUOTED[core];
            by_hash[hash(quoted[2], quoted[4])] = Self::ALL[core];
            core += 1;
        }
        // What follows `id` is a colon and a quote, or spaces, and no other name has their hashes.
        assert!(matches!(by_hash[hash(b'"', b'"')], Self::Id));
        assert!(matches!(by_hash[hash(b'"', b' ')], Self::Id));
        by_hash
    };

    /// The names, each with the quote after it.
    const QUOTED: [[u8; WIDTH]; Self::ALL.len()] = [
        *b"specversion\"\0\0\0\0",
        *b"id\"\0\0\0\0\0\0\0\0\0\0\0\0\0",
        *b"source\"\0\0\0\0\0\0\0\0\0",
        *b"type\"\0\0\0\0\0\0\0\0\0\0\0",
        *b"datacontenttype\"",
        *b"dataschema\"\0\0\0\0\0",
        *b"subject\"\0\0\0\0\0\0\0\0",
        *b"time\"\0\0\0\0\0\0\0\0\0\0\0",
    ];

    pub(crate) const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    const NAMES: [&str; Self::ALL.len()] = core_headers!("");

    pub(crate) const fn ty(self) -> AttributeType {
        match self {
            Self::Source => AttributeType::UriReference,
            Self::DataSchema => AttributeType::Uri,
            Self::Time => AttributeType::Timestamp,
            _ => AttributeType::String,
        }
    }

    pub(crate) fn is_required(self) -> bool {
        Self::REQUIRED.contains(&self)
    }

    /// One bit per attribute, for sets of them.
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A perfect hash of the core attributes: of the third and the fifth byte of a member.
#[inline(always)]
const fn hash(third: u8, fifth: u8) -> usize {
    (fifth as usize ^ (third as usize) << 1) & 31
}

/// Whether `name` is made of lower-case letters and digits, and is not the reserved `data`.
#[inline]
pub(crate) fn is_extension_name(name: &str) -> bool {
    !name.is_empty() && name != "data" && has_none(name.as_bytes(), Lanes::not_in_names)
}

/// Types of extension attributes, which neither headers nor JSON strings can carry (JSON format 1.0.2, section 2.2).
///
/// It knows the documented extensions of CloudEvents 1.0.2: `dataref` is a URI-reference,
/// `sampledrate` an Integer, and the others are Strings. Add your own. A value that does not have
/// the form of its registered type stays a `String`: the register restores types, it never refuses.
///
/// ```
/// use cloudevents_nl_codec::{AttributeType, Register};
///
/// let register = Register::default().with("retries", AttributeType::Integer);
/// assert_eq!(register.type_of("retries"), AttributeType::Integer);
/// assert_eq!(register.type_of("dataref"), AttributeType::UriReference);
/// assert_eq!(register.type_of("unheardof"), AttributeType::String);
/// assert!(Register::is_reserved("time") && Register::is_reserved("data") && !Register::is_reserved("sequence"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    added: Vec<(Box<str>, AttributeType)>,
}

impl Register {
    /// Whether no extension can have this name: the core specification types the attribute itself
    /// (CloudEvents 1.0, "Context Attributes"), or its JSON format keeps the name for `data`.
    #[must_use]
    pub fn is_reserved(name: &str) -> bool {
        name == "data" || CoreAttribute::NAMES.contains(&name)
    }

    /// The same register with one more extension, or another type for one it had. The name is not
    /// checked; one that [`Self::is_reserved`], or that no extension can have, is never looked up.
    #[must_use]
    pub fn with(mut self, name: &str, ty: AttributeType) -> Self {
        self.added.retain(|(added, _)| **added != *name);
        self.added.push((name.into(), ty));
        self
    }

    /// The type of an extension; `String` when nothing is known.
    #[inline]
    pub fn type_of(&self, name: &str) -> AttributeType {
        let added = self.added.iter().find(|(added, _)| **added == *name);
        match (added, name.as_bytes()) {
            (Some((_, ty)), _) => *ty,
            (None, b"dataref") => AttributeType::UriReference,
            (None, b"sampledrate") => AttributeType::Integer,
            (None, _) => AttributeType::String,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_its_own_inverse() {
        for core in CoreAttribute::ALL {
            assert_eq!(CoreAttribute::of(core.name()), Some(core));
            for after in [
                "\":\"xxxxxxxxxxxxx",
                "\": \"xxxxxxxxxxxx",
                "\" :\n\"xxxxxxxxxxx",
            ] {
                let text = format!("{}{after}", core.name());
                let start = text.as_bytes().first_chunk().unwrap();
                let is_far = core == CoreAttribute::Id && !after.starts_with("\":");
                assert!(
                    CoreAttribute::of_quoted(start) == Some(core) || is_far,
                    "{text}"
                );
                let longer = format!("{}x{after}", core.name());
                assert_eq!(
                    CoreAttribute::of_quoted(longer.as_bytes().first_chunk().unwrap()),
                    None
                );
            }
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
