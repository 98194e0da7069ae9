//! The error of the settings reader: what is wrong, at which path, in the words of people.

use std::fmt;

use serde::de::{Expected, Unexpected};

use super::path::Path;

/// Why a value cannot be read.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: Option<Path>,
    pub(super) kind: FaultKind,
}

#[derive(Debug)]
pub(super) enum FaultKind {
    /// A required key is not there.
    Missing(&'static str),
    /// A value is there and is wrong.
    Wrong {
        what: String,
        remedy: Option<String>,
    },
    /// A list or table is there where a single value belongs, or the other way around. What it holds
    /// was meant for another place, so nobody can tell whether it is a secret.
    Misshapen(String),
}

impl Fault {
    pub(super) fn wrong(what: impl Into<String>) -> Self {
        Self {
            at: None,
            kind: FaultKind::Wrong {
                what: what.into(),
                remedy: None,
            },
        }
    }

    /// The same fault at `path`, unless it says already where it is.
    pub(super) fn or_at(mut self, path: &Path) -> Self {
        let Self { at, kind } = &mut self;
        at.get_or_insert_with(|| match kind {
            FaultKind::Missing(key) => path.key(key),
            FaultKind::Wrong { .. } | FaultKind::Misshapen(_) => path.clone(),
        });
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Missing(key) => write!(f, "{key} is missing"),
            FaultKind::Wrong { what, .. } | FaultKind::Misshapen(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::wrong(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            at: None,
            kind: FaultKind::Missing(field),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = in_words(&expected.to_string());
        let what = format!("expected {expected}");
        if matches!(found, Unexpected::Seq | Unexpected::Map) || [TABLE, LIST].contains(&&*expected)
        {
            return Self {
                at: None,
                kind: FaultKind::Misshapen(what),
            };
        }
        Self::wrong(what)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong(format!("expected {}", in_words(&expected.to_string())))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self {
            at: None,
            kind: FaultKind::Wrong {
                what: format!("expected one of {}", list(expected.iter().copied())),
                remedy: nearest(variant, expected.iter().copied())
                    .map(|word| format!("did you mean {word:?}?")),
            },
        }
    }
}

/// The candidate that `word` was probably meant to be.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Words as a list for people: `"a", "b"`.
pub(crate) fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let quoted: Vec<_> = words.into_iter().map(|word| format!("{word:?}")).collect();
    quoted.join(", ")
}

const TABLE: &str = "a table";
const LIST: &str = "a list";

/// Serde names Rust types; the reader of a settings file need not know them.
fn in_words(expected: &str) -> String {
    let range = |most: u128| format!("a whole number from 0 to {most}");
    match expected {
        "u8" => range(u8::MAX.into()),
        "u16" => range(u16::MAX.into()),
        "u32" => range(u32::MAX.into()),
        "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => LIST.to_owned(),
        other if other.starts_with("struct ") || other == "a map" => TABLE.to_owned(),
        other if other.starts_with("a nonzero ") => "a whole number above 0".to_owned(),
        other => other.to_owned(),
    }
}
