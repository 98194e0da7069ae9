//! The settings as they were found, file and environment merged, not yet checked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml_edit::{ImDocument, Item, TableLike};

use super::environment;
use super::key_path::KeyPath;
use super::node::{Entries, Node, Value};
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
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        let reader = Reader {
            line_ends,
            references,
        };
        let toml = toml.map_err(|error| {
            let line = reader.line(error.span(), 1);
            let what = format!("is not TOML: {}", error.message().replace('\n', ", "));
            let origin = format!("{}:{line}", file.display());
            Problems::from(Problem::of_all(origin, &what, "correct the line"))
        })?;
        let mut root = Node::at(0, reader.table(toml.as_table(), 0));
        let (layers, refused) = environment::read(&variables, connections);
        for (steps, node) in layers {
            root.set(&steps, node);
        }
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

struct Reader<'v> {
    line_ends: Vec<usize>,
    references: References<'v>,
}

impl Reader<'_> {
    /// What has no place of its own is where the table `around` is.
    fn line(&self, span: Option<Range<usize>>, around: usize) -> usize {
        span.map_or(around, |span| {
            1 + self.line_ends.partition_point(|end| *end < span.start)
        })
    }

    fn table(&self, table: &dyn TableLike, around: usize) -> Value {
        let entries = table.iter();
        let read = |(key, item): (&str, &Item)| (key.to_owned(), self.node(item, around));
        Value::Table(entries.map(read).collect())
    }

    fn node(&self, item: &Item, around: usize) -> Node {
        let line = self.line(item.span(), around);
        let value = match item {
            Item::None => Value::Table(Entries::new()),
            Item::Value(written) => self.value(written, line),
            Item::Table(table) => self.table(table, line),
            Item::ArrayOfTables(list) => {
                let tables = list.iter().map(|table| {
                    let line = self.line(table.span(), line);
                    Node::at(line, self.table(table, line))
                });
                Value::List(tables.collect())
            }
        };
        Node::at(line, value)
    }

    fn value(&self, written: &toml_edit::Value, line: usize) -> Value {
        let bare = |text: &dyn ToString| Value::literal(&text.to_string(), false);
        match written {
            toml_edit::Value::String(text) => {
                Value::with_references(text.value(), &self.references)
            }
            toml_edit::Value::Integer(number) => bare(number.value()),
            // A fraction always shows that it is one.
            toml_edit::Value::Float(number) => bare(&format!("{:?}", number.value())),
            toml_edit::Value::Boolean(truth) => bare(truth.value()),
            toml_edit::Value::Datetime(time) => bare(time.value()),
            toml_edit::Value::InlineTable(table) => self.table(table, line),
            toml_edit::Value::Array(list) => {
                let elements = list.iter().map(|element| {
                    let line = self.line(element.span(), line);
                    Node::at(line, self.value(element, line))
                });
                Value::List(elements.collect())
            }
        }
    }
}

/// Without values: which are secrets is known only when all keys are.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}
