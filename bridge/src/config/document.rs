//! The settings as they were found, file and environment merged, not yet checked.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use figment::providers::Serialized;
use figment::value::{Dict, Value};
use figment::{Figment, Profile, Provider as _};
use toml_edit::{ImDocument, Item, TableLike};

use super::environment::{self, Variable};
use super::key_path::{KeyPath, Step};
use super::problem::{Findings, Problem, Problems};
use super::redact;
use super::table::Table;

pub struct Document {
    root: Dict,
    file: PathBuf,
    toml: ImDocument<String>,
    variables: Vec<Variable>,
    refused: Vec<Problem>,
}

impl Document {
    /// `connections` are the tables whose keys are names of connections.
    pub fn load(
        file: &Path,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Result<Self, Problems> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            let what = format!("cannot be read: {error}");
            let remedy = "give --config the path of a readable file";
            let problem = Problem::of_all(file.display().to_string(), &what, remedy);
            Problems::from(problem)
        })?;
        Self::parse(file, &text, variables, connections)
    }

    pub fn parse(
        file: &Path,
        text: &str,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Result<Self, Problems> {
        let toml = ImDocument::parse(text.to_owned()).map_err(|error| {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            let what = format!("is not TOML: {}", error.message().replace('\n', ", "));
            let origin = format!("{}:{line}", file.display());
            Problems::from(Problem::of_all(origin, &what, "correct the line"))
        })?;
        let (variables, refused) = environment::read(variables, connections);
        let written = Figment::from(Serialized::defaults(dict(toml.as_table())));
        let layers = variables.iter().map(Variable::tables);
        let layers = layers.fold(written, |below, tables| {
            below.merge(Serialized::defaults(tables))
        });
        let mut merged = layers.data().expect("tables are what is merged");
        Ok(Self {
            root: merged.remove(&Profile::Default).unwrap_or_default(),
            file: file.to_owned(),
            toml,
            variables,
            refused,
        })
    }

    pub(crate) fn findings(&self) -> Findings<'_> {
        Findings::new(self, self.refused.iter().cloned())
    }

    pub(crate) fn table<'d>(&'d self, findings: &'d Findings<'d>) -> Table<'d> {
        Table::new(findings, KeyPath::default(), &self.root)
    }

    pub(super) fn value(&self, path: &KeyPath) -> Option<&Value> {
        path.find(&self.root)
    }

    /// That set the value at `path`, or something in it.
    fn variable(&self, path: &KeyPath) -> Option<&str> {
        let meets = |variable: &&Variable| {
            let mut steps = variable.steps.iter().zip(path.keys());
            steps.all(|(step, key)| step == key)
        };
        let variable = self.variables.iter().find(meets)?;
        Some(&variable.name)
    }

    /// Of `path`, or of the nearest table around it; 0 when there is none.
    pub(super) fn line(&self, path: &KeyPath) -> usize {
        let (mut item, mut start) = (self.toml.as_item(), None);
        for step in path.steps() {
            let inner = match step {
                Step::Key(key) => item.get(key),
                Step::Index(index) => item.get(index),
            };
            let Some(inner) = inner else { break };
            start = inner.span().map(|span| span.start).or(start);
            item = inner;
        }
        start.map_or(0, |start| line_of(self.toml.raw(), start))
    }

    /// `bridge.toml:12`, or the name of a variable.
    pub(super) fn origin(&self, path: &KeyPath) -> String {
        if let Some(variable) = self.variable(path) {
            return format!("environment variable {variable}");
        }
        let file = self.file.display();
        match self.line(path) {
            0 => file.to_string(),
            line => format!("{file}:{line}"),
        }
    }
}

fn line_of(text: &str, start: usize) -> usize {
    let before = text.as_bytes().iter().take(start);
    1 + before.filter(|byte| **byte == b'\n').count()
}

fn dict(table: &dyn TableLike) -> Dict {
    let entries = table.iter();
    let entries = entries.map(|(key, item)| match item {
        Item::None => (key, Dict::new().into()),
        Item::Value(written) => (key, value(written)),
        Item::Table(inner) => (key, dict(inner).into()),
        Item::ArrayOfTables(list) => {
            let tables = list.iter().map(|inner| Value::from(dict(inner)));
            (key, tables.collect::<Vec<_>>().into())
        }
    });
    entries
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn value(written: &toml_edit::Value) -> Value {
    match written {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::from(*truth.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::InlineTable(table) => dict(table).into(),
        toml_edit::Value::Array(list) => list.iter().map(value).collect::<Vec<_>>().into(),
    }
}

/// Without values: which are secrets is known only when all keys are.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.root.keys()).finish()
    }
}

/// One `key = value` per line, secrets as `***`. Only for proven settings: below an unknown key it would show
/// a secret.
impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write =
            |(key, value): (&String, _)| write_values(f, &KeyPath::default().key(key), value);
        self.root.iter().try_for_each(write)
    }
}

fn write_values(f: &mut fmt::Formatter<'_>, path: &KeyPath, value: &Value) -> fmt::Result {
    match value {
        Value::Dict(_, table) => {
            let mut values = table.iter();
            values.try_for_each(|(key, value)| write_values(f, &path.key(key), value))
        }
        Value::Array(_, list) if list.iter().any(|element| element.as_dict().is_some()) => {
            let mut values = list.iter().enumerate();
            values.try_for_each(|(index, value)| write_values(f, &path.index(index), value))
        }
        _ => match redact::shown(path, value) {
            Some(shown) => writeln!(f, "{path} = {shown}"),
            None => Ok(()),
        },
    }
}
