//! The settings as they were found, file and environment merged, not yet checked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use figment::providers::Serialized;
use figment::value::{Dict, Tag, Value as Merged};
use figment::{Figment, Profile, Provider as _};
use toml_edit::{ImDocument, Item, TableLike};

use super::environment;
use super::key_path::KeyPath;
use super::node::{Entries, Node, Origin, Value};
use super::problem::{Findings, Problem, Problems};
use super::references::{References, as_written};
use super::table::Table;

pub struct Document {
    pub(super) root: Node,
    pub(super) file: PathBuf,
    pub(super) refused: Vec<Problem>,
    /// What variables hold that the file refers to, with how it does.
    pub(super) results: BTreeMap<String, String>,
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
        let toml = ImDocument::parse(text.to_owned());
        let variables = variables.into_iter();
        let variables = variables
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
            .collect();
        let references = References {
            variables: &variables,
            results: RefCell::default(),
        };
        let line_ends: Vec<_> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line = |span: Option<Range<usize>>| line_of(&line_ends, span);
        let toml = toml.map_err(|error| {
            let line = line(error.span()).unwrap_or(1);
            let what = format!("is not TOML: {}", error.message().replace('\n', ", "));
            let origin = format!("{}:{line}", file.display());
            Problems::from(Problem::of_all(origin, &what, "correct the line"))
        })?;
        let (layers, refused) = environment::read(&variables, connections);
        let written = Figment::from(Serialized::defaults(dict(toml.as_table())));
        let merged = layers.into_iter().fold(written, Figment::merge);
        let settings = merged.data().expect("tables are what is merged");
        let settings = settings.get(&Profile::Default).cloned().unwrap_or_default();
        let reader = DocumentReader {
            merged,
            line_ends,
            references,
        };
        let root = Node {
            origin: Origin::Line(0),
            value: Value::Table(reader.entries(&settings, Some(toml.as_item()), 0)),
        };
        Ok(Self {
            root,
            file: file.to_owned(),
            refused,
            results: reader.references.results.into_inner(),
        })
    }

    /// Of a text that may hold what variables hold.
    pub(crate) fn as_written(&self, text: String) -> String {
        as_written(text.into(), &self.results)
    }

    pub(crate) fn findings(&self) -> Findings<'_> {
        Findings::new(self)
    }

    pub(crate) fn table<'d>(&'d self, findings: &'d Findings<'d>) -> Table<'d> {
        let Value::Table(entries) = &self.root.value else {
            unreachable!("a document is a table");
        };
        Table::new(findings, KeyPath::default(), &self.root.origin, entries)
    }
}

/// From the merged values to a tree that knows where each was written.
struct DocumentReader<'v> {
    merged: Figment,
    line_ends: Vec<usize>,
    references: References<'v>,
}

impl DocumentReader<'_> {
    /// `item` is what the file has there; what has no place of its own is where the table `around` is.
    fn node(&self, value: &Merged, item: Option<&Item>, around: usize) -> Node {
        let line = item.and_then(|item| line_of(&self.line_ends, item.span()));
        let line = line.unwrap_or(around);
        let variable = self.variable(value.tag());
        let read = match (value, &variable) {
            (Merged::Dict(_, table), _) => Value::Table(self.entries(table, item, line)),
            (Merged::Array(_, list), _) => {
                let elements = list.iter().enumerate();
                let elements = elements.map(|(index, element)| {
                    self.node(element, item.and_then(|item| item.get(index)), line)
                });
                Value::List(elements.collect())
            }
            (Merged::String(_, text), None) => Value::with_references(text, &self.references),
            (Merged::String(_, text), Some(_)) => Value::literal(text, true),
            (Merged::Bool(_, truth), _) => Value::literal(&truth.to_string(), false),
            (Merged::Num(_, number), _) => {
                // A fraction always shows that it is one.
                let whole = number.to_i128().map(|number| number.to_string());
                let text = whole.or_else(|| Some(format!("{:?}", number.to_f64()?)));
                Value::literal(&text.unwrap_or_default(), false)
            }
            (Merged::Char(..) | Merged::Empty(..), _) => unreachable!("TOML has none"),
        };
        let origin = match (variable, &read) {
            // A table of both is where the file has it.
            (Some(_), Value::Table(_)) if item.is_some_and(Item::is_table_like) => {
                Origin::Line(line)
            }
            (Some(name), _) => Origin::Variable(name),
            (None, _) => Origin::Line(line),
        };
        Node {
            origin,
            value: read,
        }
    }

    fn entries(&self, table: &Dict, item: Option<&Item>, around: usize) -> Entries {
        let entries = table.iter();
        let entries = entries.map(|(key, value)| {
            let item = item.and_then(|item| item.get(key));
            (key.clone(), self.node(value, item, around))
        });
        entries.collect()
    }

    /// That set a value, where no file did.
    fn variable(&self, tag: Tag) -> Option<String> {
        let name = self.merged.get_metadata(tag)?.name.as_ref();
        name.starts_with(environment::PREFIX)
            .then(|| name.to_owned())
    }
}

fn line_of(line_ends: &[usize], span: Option<Range<usize>>) -> Option<usize> {
    span.map(|span| 1 + line_ends.partition_point(|end| *end < span.start))
}

fn dict(table: &dyn TableLike) -> Dict {
    let entries = table.iter();
    let entries = entries.map(|(key, item)| match item {
        Item::None => (key, Dict::new().into()),
        Item::Value(written) => (key, merged(written)),
        Item::Table(inner) => (key, dict(inner).into()),
        Item::ArrayOfTables(list) => {
            let tables = list.iter().map(|inner| Merged::from(dict(inner)));
            (key, tables.collect::<Vec<_>>().into())
        }
    });
    entries
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn merged(written: &toml_edit::Value) -> Merged {
    match written {
        toml_edit::Value::String(text) => Merged::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Merged::from(*number.value()),
        toml_edit::Value::Float(number) => Merged::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Merged::from(*truth.value()),
        toml_edit::Value::Datetime(time) => Merged::from(time.value().to_string()),
        toml_edit::Value::InlineTable(table) => dict(table).into(),
        toml_edit::Value::Array(list) => list.iter().map(merged).collect::<Vec<_>>().into(),
    }
}

/// Without values: which are secrets is known only when all keys are.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}
