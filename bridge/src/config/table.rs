//! One table of the settings, read by as many types as share it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use figment::value::{Dict, Value};
use serde::de::DeserializeOwned;

use super::path::Path;
use super::problem::Findings;
use super::value;

/// A table at a path. Reading reports what is wrong; [`Table::finish`] reports the keys that no
/// reader knew.
pub struct Table<'d> {
    findings: &'d Findings<'d>,
    path: Path,
    table: &'d Dict,
    known: RefCell<BTreeSet<String>>,
}

/// Where the table is, and nothing of what it holds: there may be secrets under keys nobody knows.
impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({})", self.path)
    }
}

impl<'d> Table<'d> {
    pub(crate) fn new(findings: &'d Findings<'d>, path: Path, table: &'d Dict) -> Self {
        Self {
            findings,
            path,
            table,
            known: RefCell::default(),
        }
    }

    /// Reads the keys that `T` has; all faults are reported, and with any there is no value.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        value::read(self.findings, &self.path, self.table, &self.known)
    }

    /// The table under `key`, if there is one.
    #[must_use]
    pub fn table(&self, key: &str) -> Option<Self> {
        self.know(key);
        match self.table.get(key)? {
            Value::Dict(_, table) => Some(Self::new(self.findings, self.path.key(key), table)),
            _ => {
                self.report_unshown(
                    key,
                    "expected a table",
                    format!("write it as a table: {key} = {{ … }}"),
                );
                None
            }
        }
    }

    /// The tables of the list under `key`.
    pub fn list(&self, key: &str) -> Vec<Self> {
        self.know(key);
        let path = self.path.key(key);
        match self.table.get(key) {
            None => Vec::new(),
            Some(Value::Array(_, list)) => list
                .iter()
                .enumerate()
                .filter_map(|(index, element)| match element {
                    Value::Dict(_, table) => {
                        Some(Self::new(self.findings, path.index(index), table))
                    }
                    _ => {
                        self.findings.report_unshown(
                            &path.index(index),
                            "expected a table",
                            format!("write [[{key}]]"),
                        );
                        None
                    }
                })
                .collect(),
            Some(_) => {
                self.report_unshown(key, "expected a list of tables", format!("write [[{key}]]"));
                Vec::new()
            }
        }
    }

    /// All tables of this table, with their keys.
    pub fn tables(&self) -> Vec<(&'d str, Self)> {
        self.table
            .keys()
            .filter_map(|key| Some((key.as_str(), self.table(key)?)))
            .collect()
    }

    /// The text under `key`, if there is one.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&'d str> {
        self.know(key);
        let value = self.table.get(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.report_unshown(key, "expected a string", "put the value between quotes");
        }
        text
    }

    /// The keys that are set.
    pub fn keys(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        self.table.keys().map(String::as_str)
    }

    /// A table that stands where `key` of this one would, and holds `table`.
    pub(crate) fn beside(&self, key: &str, table: &'d Dict) -> Self {
        Self::new(self.findings, self.path.key(key), table)
    }

    /// Whether `key` is set.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Says that `key` belongs here.
    pub fn know(&self, key: &str) {
        self.known.borrow_mut().insert(key.to_owned());
    }

    /// Says that every key belongs here, where too little is known to tell.
    pub fn know_all(&self) {
        self.known.borrow_mut().extend(self.table.keys().cloned());
    }

    /// Reports a problem with the value under `key`, or with the table itself when `key` is empty.
    /// A full stop leads into a table below, whose keys may hold full stops themselves.
    pub fn report(&self, key: &str, what: impl Into<String>, remedy: impl Into<String>) {
        self.findings.report(&self.path_of(key), what, remedy);
    }

    /// As [`Table::report`], where the value may be anything, a secret under a misspelt key among it.
    pub fn report_unshown(&self, key: &str, what: impl Into<String>, remedy: impl Into<String>) {
        self.findings
            .report_unshown(&self.path_of(key), what, remedy);
    }

    fn path_of(&self, key: &str) -> Path {
        match key {
            "" => self.path.clone(),
            key => below(&self.path, self.table, key).unwrap_or_else(|| self.path.key(key)),
        }
    }

    /// Reports the keys that nothing knew.
    pub fn finish(&self) {
        let known = self.known.borrow();
        value::report_unknown(
            self.findings,
            &self.path,
            self.table,
            known.iter().map(String::as_str),
        );
    }
}

/// The path of a value that is there, below `table` at `path`.
fn below(path: &Path, table: &Dict, key: &str) -> Option<Path> {
    if table.contains_key(key) {
        return Some(path.key(key));
    }
    key.match_indices('.').find_map(|(at, _)| {
        let (first, rest) = key.split_at_checked(at)?;
        let inner = table.get(first)?.as_dict()?;
        below(&path.key(first), inner, rest.strip_prefix('.')?)
    })
}
