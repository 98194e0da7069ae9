//! The settings as a tree; each value knows where it was written.

use std::collections::BTreeMap;

use super::references::{ReferenceError, References};

pub(super) struct Node {
    pub(super) origin: Origin,
    pub(super) value: Value,
}

#[derive(Clone)]
pub(super) enum Origin {
    /// Of the file; 0 is the file as a whole.
    Line(usize),
    /// Of the environment.
    Variable(String),
}

pub(super) type Entries = BTreeMap<String, Node>;

pub(super) enum Value {
    Text(Text),
    List(Vec<Node>),
    Table(Entries),
}

/// A single value; the type that it is read as says what it means.
pub(super) struct Text {
    /// With references to variables.
    pub(super) written: String,
    pub(super) is_quoted: bool,
    /// A text and references, or several of them.
    pub(super) is_composed: bool,
    pub(super) meant: Result<String, ReferenceError>,
}

impl Value {
    /// Without references.
    pub(super) fn literal(text: &str, is_quoted: bool) -> Self {
        Self::Text(Text {
            written: text.to_owned(),
            is_quoted,
            is_composed: false,
            meant: Ok(text.to_owned()),
        })
    }

    pub(super) fn with_references(text: &str, references: &References<'_>) -> Self {
        let (meant, is_composed) = references.replaced(text);
        Self::Text(Text {
            written: text.to_owned(),
            is_quoted: true,
            is_composed,
            meant,
        })
    }
}

impl Node {
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries.get(key),
            Value::Text(_) | Value::List(_) => None,
        }
    }
}
