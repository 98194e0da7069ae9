//! The file as a layer of settings: its values, and the line of each.

use std::collections::BTreeMap;
use std::ops::Range;

use figment::value::{Dict, Map, Value};
use figment::{Metadata, Profile, Provider};
use toml_edit::{ImDocument, Item, TableLike};

use super::key_path::KeyPath;

/// What a TOML text holds.
pub(super) struct File {
    root: Dict,
    /// The line of every key, table and element.
    pub(super) lines: BTreeMap<KeyPath, usize>,
}

impl File {
    /// Reads the text, or says in which line it is not TOML, and why.
    pub(super) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut reading = Reading {
            starts: std::iter::once(0).chain(ends).collect(),
            lines: BTreeMap::new(),
        };
        let document = ImDocument::parse(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            (reading.line(start), error.message().replace('\n', ", "))
        })?;
        let root = reading.table(&KeyPath::default(), document.as_table());
        Ok(Self {
            root,
            lines: reading.lines,
        })
    }
}

impl Provider for File {
    fn metadata(&self) -> Metadata {
        Metadata::named("file")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Map::from([(Profile::Default, self.root.clone())]))
    }
}

struct Reading {
    /// Where each line begins.
    starts: Vec<usize>,
    lines: BTreeMap<KeyPath, usize>,
}

impl Reading {
    /// The number of the line that holds byte `at`, counted from 1.
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at)
    }

    fn note(&mut self, path: &KeyPath, span: Option<Range<usize>>) {
        if let Some(span) = span {
            let line = self.line(span.start);
            self.lines.entry(path.clone()).or_insert(line);
        }
    }

    fn table(&mut self, path: &KeyPath, table: &dyn TableLike) -> Dict {
        let mut dict = Dict::new();
        for (name, item) in table.iter() {
            let path = path.key(name);
            let value = match item {
                Item::None => continue,
                Item::Value(value) => {
                    self.note(&path, table.key(name).and_then(toml_edit::Key::span));
                    self.value(&path, value)
                }
                Item::Table(inner) => {
                    self.note(&path, inner.span());
                    self.table(&path, inner).into()
                }
                Item::ArrayOfTables(list) => {
                    let elements = list.iter().enumerate().map(|(index, inner)| {
                        let path = path.index(index);
                        self.note(&path, inner.span());
                        Value::from(self.table(&path, inner))
                    });
                    elements.collect::<Vec<_>>().into()
                }
            };
            dict.insert(name.to_owned(), value);
        }
        dict
    }

    fn value(&mut self, path: &KeyPath, value: &toml_edit::Value) -> Value {
        match value {
            toml_edit::Value::String(text) => Value::from(text.value().as_str()),
            toml_edit::Value::Integer(number) => Value::from(*number.value()),
            toml_edit::Value::Float(number) => Value::from(*number.value()),
            toml_edit::Value::Boolean(truth) => Value::from(*truth.value()),
            toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
            toml_edit::Value::InlineTable(table) => self.table(path, table).into(),
            toml_edit::Value::Array(list) => {
                let elements = list.iter().enumerate().map(|(index, element)| {
                    let path = path.index(index);
                    self.note(&path, element.span());
                    self.value(&path, element)
                });
                elements.collect::<Vec<_>>().into()
            }
        }
    }
}
