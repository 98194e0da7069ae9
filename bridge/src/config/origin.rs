//! Which line of the file, or which variable, a value came from.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};

use toml_edit::{ImDocument, Item, TableLike, Value};

use super::path::Path;

/// The origins of all values.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    file: PathBuf,
    lines: BTreeMap<Path, usize>,
    variables: BTreeMap<Path, String>,
}

impl Origins {
    pub(super) fn new(
        file: &FilePath,
        document: &ImDocument<&str>,
        variables: BTreeMap<Path, String>,
    ) -> Self {
        let mut lines = Lines {
            starts: line_starts(document.raw()),
            found: BTreeMap::new(),
        };
        lines.table(&Path::default(), document.as_table());
        Self {
            file: file.to_owned(),
            lines: lines.found,
            variables,
        }
    }

    /// The variable that set the value at `path`.
    pub(super) fn variable(&self, path: &Path) -> Option<&str> {
        self.variables.get(path).map(String::as_str)
    }

    /// The line of `path`, or of the nearest table around it; 0 when there is none.
    pub(super) fn line(&self, path: &Path) -> usize {
        let mut at = Some(path.clone());
        while let Some(path) = at {
            if let Some(&line) = self.lines.get(&path) {
                return line;
            }
            at = path.parent();
        }
        0
    }

    /// The origin as people read it: `bridge.toml:12`, or the name of a variable.
    pub(super) fn describe(&self, path: &Path) -> String {
        // A table that a variable put in the place of a value has the line of the value.
        let below = || {
            let mut variables = self.variables.iter();
            let (_, variable) = variables.find(|(other, _)| other.is_within(path))?;
            (*path != Path::default()).then_some(variable.as_str())
        };
        if let Some(variable) = self.variable(path).or_else(below) {
            return format!("environment variable {variable}");
        }
        let file = self.file.display();
        match self.line(path) {
            0 => file.to_string(),
            line => format!("{file}:{line}"),
        }
    }
}

/// The number of the line that holds byte `at`, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    line_starts(text).partition_point(|&start| start <= at)
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect()
}

struct Lines {
    starts: Vec<usize>,
    found: BTreeMap<Path, usize>,
}

impl Lines {
    fn note(&mut self, path: &Path, span: Option<std::ops::Range<usize>>) {
        if let Some(span) = span {
            let line = self.starts.partition_point(|&start| start <= span.start);
            self.found.entry(path.clone()).or_insert(line);
        }
    }

    fn table(&mut self, path: &Path, table: &dyn TableLike) {
        for (name, item) in table.iter() {
            let path = path.key(name);
            match item {
                Item::None => {}
                Item::Value(value) => {
                    self.note(&path, table.key(name).and_then(toml_edit::Key::span));
                    self.value(&path, value);
                }
                Item::Table(inner) => {
                    self.note(&path, inner.span());
                    self.table(&path, inner);
                }
                Item::ArrayOfTables(list) => {
                    for (index, inner) in list.iter().enumerate() {
                        let path = path.index(index);
                        self.note(&path, inner.span());
                        self.table(&path, inner);
                    }
                }
            }
        }
    }

    fn value(&mut self, path: &Path, value: &Value) {
        match value {
            Value::InlineTable(table) => self.table(path, table),
            Value::Array(list) => {
                for (index, element) in list.iter().enumerate() {
                    let path = path.index(index);
                    self.note(&path, element.span());
                    self.value(&path, element);
                }
            }
            _ => {}
        }
    }
}
