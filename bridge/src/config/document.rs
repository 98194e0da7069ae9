//! The settings as they were found, file and environment merged, not yet checked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use figment::providers::Serialized;
use figment::value::{Dict, Value};
use figment::{Figment, Profile, Provider as _};
use toml_edit::{ImDocument, Item, TableLike};

use super::environment;
use super::key_path::{KeyPath, Step};
use super::problem::{Findings, Problem, Problems};
use super::references::References;
use super::table::Table;

pub struct Document {
    pub(super) file: PathBuf,
    /// Has the lines.
    toml: ImDocument<String>,
    /// Have the names of variables.
    layers: Figment,
    root: Value,
    pub(super) references: References,
    pub(super) refused: Vec<Problem>,
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
            Problems(vec![problem])
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
            let line = error.span().map_or(1, |span| line_of(text, &span));
            let what = format!("is not TOML: {}", error.message().replace('\n', ", "));
            let origin = format!("{}:{line}", file.display());
            let problem = Problem::of_all(origin, &what, "correct the line");
            Problems(vec![problem])
        })?;
        let variables = variables.into_iter();
        let variables: BTreeMap<_, _> = variables
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
            .collect();
        let (set, refused) = environment::read(&variables, connections);
        let written = Figment::from(Serialized::defaults(dict(toml.as_table())));
        let layers = set.into_iter().fold(written, Figment::merge);
        let mut merged = layers.data().expect("tables are what is merged");
        let root = merged.remove(&Profile::Default).unwrap_or_default();
        Ok(Self {
            file: file.to_owned(),
            toml,
            layers,
            root: Value::from(root),
            references: References::new(variables),
            refused,
        })
    }

    /// Line, origin and value at the path; the line and origin of the table around it where nothing is there.
    pub(super) fn find(&self, path: &KeyPath) -> (usize, String, Option<&Value>) {
        let (mut found, mut item) = (Some(&self.root), Some(self.toml.as_item()));
        let (mut line, mut variable) = (0, None);
        for step in &path.0 {
            found = found.and_then(|around| match (step, around) {
                (Step::Key(key), Value::Dict(_, entries)) => entries.get(key),
                (Step::Index(index), Value::Array(_, list)) => list.get(*index),
                _ => None,
            });
            let Some(value) = found else { break };
            item = item.and_then(|around| match step {
                Step::Key(key) => around.get(key),
                Step::Index(index) => around.get(*index),
            });
            let span = item.and_then(Item::span);
            line = span.map_or(line, |span| line_of(self.toml.raw(), &span));
            // A table of both is where the file has it.
            let is_of_both = value.as_dict().is_some() && item.is_some_and(Item::is_table_like);
            variable = self.variable(value).filter(|_| !is_of_both);
        }
        let file = self.file.display();
        let (line, origin) = match (variable, line) {
            (Some(name), _) => (0, format!("environment variable {name}")),
            (None, 0) => (0, file.to_string()),
            (None, line) => (line, format!("{file}:{line}")),
        };
        (line, origin, found)
    }

    /// That set the value, where no file did.
    fn variable(&self, value: &Value) -> Option<&str> {
        let layer = self.layers.get_metadata(value.tag())?;
        Some(&*layer.name).filter(|name| name.starts_with(environment::PREFIX))
    }

    /// Not of a variable, nor made of another value.
    pub(super) fn is_of_file(&self, value: &Value) -> bool {
        !value.tag().is_default() && self.variable(value).is_none()
    }

    /// Of a text that may hold what variables hold.
    pub(crate) fn as_written(&self, text: String) -> String {
        self.references.as_written(text.into())
    }

    pub(crate) fn findings(&self) -> Findings<'_> {
        Findings::new(self)
    }

    pub(crate) fn table<'d>(&'d self, findings: &'d Findings<'d>) -> Table<'d> {
        let entries = self.root.as_dict().expect("a document is a table");
        Table::new(findings, KeyPath::default(), entries)
    }
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    let line_ends = text.match_indices('\n');
    1 + line_ends.take_while(|(at, _)| *at < span.start).count()
}

fn dict(table: &dyn TableLike) -> Dict {
    let entries = table.iter();
    let entries = entries.map(|(key, item)| match item {
        Item::None => (key, Dict::new().into()),
        Item::Value(written) => (key, merged(written)),
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

pub(super) fn merged(written: &toml_edit::Value) -> Value {
    match written {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::from(*truth.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::InlineTable(table) => dict(table).into(),
        toml_edit::Value::Array(list) => list.iter().map(merged).collect::<Vec<_>>().into(),
    }
}

/// What they mean: variables stay as they were.
impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

/// Without values: which are secrets is known only when all keys are.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}
