//! The keys of a table for `config/README.md` and the JSON Schema, learned by reading an empty one.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::document::Document;
use super::problem::Reported;
use super::table::Table;

#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: Cow<'static, str>,
    pub(crate) meaning: Cow<'static, str>,
    pub(crate) absence: Absence,
    /// `None` where something else reads what is under the key.
    pub(crate) schema: Option<fn() -> Json>,
}

#[derive(Debug)]
pub(crate) enum Absence {
    Required,
    Default(&'static str),
    Means(&'static str),
}

impl Key {
    /// Described elsewhere.
    pub(super) fn hidden(name: &str) -> Self {
        Self {
            name: Cow::Owned(name.to_owned()),
            meaning: Cow::Borrowed(""),
            absence: Absence::Means(""),
            schema: None,
        }
    }

    fn schema(&self) -> Option<Json> {
        let mut schema = self.schema?();
        let mut description = self.meaning.to_string();
        match self.absence {
            Absence::Required => {}
            Absence::Means(words) => description = format!("{description}. Default: {words}"),
            Absence::Default(text) => {
                schema["default"] = match schema["type"][0].as_str() {
                    Some("integer" | "number" | "boolean") => text.parse().unwrap_or_default(),
                    _ => json!(text),
                };
            }
        }
        schema["description"] = json!(description.replace('`', ""));
        Some(schema)
    }
}

pub(crate) fn keys<T>(read: impl FnOnce(&Table<'_>) -> Result<T, Reported>) -> Vec<Key> {
    let empty = Document::parse(Path::new(""), "", [], &[]);
    let document = empty.expect("no text at all is TOML");
    let findings = document.findings();
    let table = document.table(&findings);
    drop(read(&table));
    table.into_keys()
}

pub(crate) fn object(keys: &[Key]) -> Json {
    let schema = |key: &Key| Some((key.name.to_string(), key.schema()?));
    let properties: Map<_, _> = keys.iter().filter_map(schema).collect();
    let is_required = |key: &&Key| matches!(key.absence, Absence::Required);
    let required = keys.iter().filter(is_required);
    let required: Vec<_> = required.map(|key| &key.name).collect();
    json!({
        "type": "object", "additionalProperties": false,
        "properties": properties, "required": required
    })
}
