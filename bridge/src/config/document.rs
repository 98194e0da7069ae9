//! The settings as they were found, merged and not yet looked at.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use figment::value::{Dict, Value};
use figment::{Figment, Profile, Provider};

use super::environment::{self, Refused};
use super::file::File;
use super::key_path::KeyPath;
use super::problem::{Findings, Problems};
use super::redact;
use super::table::Table;

/// File and environment in layers; the defaults lie below them, with the keys that
/// have them.
pub struct Document {
    root: Dict,
    /// The layers, which know where each value is from.
    layers: Figment,
    file: PathBuf,
    lines: BTreeMap<KeyPath, usize>,
    refused: Vec<Refused>,
}

impl Document {
    /// Reads the file and lays the variables over it. `connections` names the tables whose keys
    /// are names of connections.
    ///
    /// # Errors
    /// When the file cannot be read, or is not TOML.
    pub fn load(
        file: &Path,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Result<Self, Problems> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            let what = format!("cannot be read: {error}");
            let remedy = "give --config the path of a readable file";
            Problems::one(file.display().to_string(), what, remedy)
        })?;
        Self::parse(file, &text, variables, connections)
    }

    /// As [`Document::load`], with the text of the file at hand.
    ///
    /// # Errors
    /// When the text is not TOML.
    pub fn parse(
        file: &Path,
        text: &str,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Result<Self, Problems> {
        let mut written = File::parse(text).map_err(|(line, why)| {
            let origin = format!("{}:{line}", file.display());
            Problems::one(origin, format!("is not TOML: {why}"), "correct the line")
        })?;
        let lines = std::mem::take(&mut written.lines);
        let (variables, refused) = environment::read(variables, connections);
        let layers = variables
            .into_iter()
            .fold(Figment::from(written), Figment::merge);
        Ok(Self::new(layers, file, lines, refused))
    }

    pub(super) fn new(
        layers: Figment,
        file: &Path,
        lines: BTreeMap<KeyPath, usize>,
        refused: Vec<Refused>,
    ) -> Self {
        let mut merged = layers.data().expect("the layers were read");
        Self {
            root: merged.remove(&Profile::Default).unwrap_or_default(),
            layers,
            file: file.to_owned(),
            lines,
            refused,
        }
    }

    pub(crate) fn findings(&self) -> Findings<'_> {
        let findings = Findings::new(self);
        for (variable, what, remedy) in &self.refused {
            findings.report_variable(variable, what, remedy);
        }
        findings
    }

    pub(crate) fn table<'d>(&'d self, findings: &'d Findings<'d>) -> Table<'d> {
        Table::new(findings, KeyPath::default(), &self.root)
    }

    /// The value at `path`.
    pub(super) fn value(&self, path: &KeyPath) -> Option<&Value> {
        path.find(&self.root)
    }

    /// The variable that set a value.
    pub(super) fn variable(&self, value: &Value) -> Option<&str> {
        let layer = self.layers.get_metadata(value.tag())?;
        layer.source.as_ref()?.custom()
    }

    /// The variable that set a value, or one that set something in it.
    fn variable_within(&self, value: &Value) -> Option<&str> {
        match value {
            Value::Dict(_, dict) => dict.values().find_map(|inner| self.variable_within(inner)),
            _ => self.variable(value),
        }
    }

    /// The line of `path`, or of the nearest table around it; 0 when there is none.
    pub(super) fn line(&self, path: &KeyPath) -> usize {
        let mut around = std::iter::successors(Some(path.clone()), KeyPath::parent);
        let line = around.find_map(|path| self.lines.get(&path).copied());
        line.unwrap_or_default()
    }

    /// The origin as people read it: `bridge.toml:12`, or the name of a variable.
    pub(super) fn origin(&self, path: &KeyPath) -> String {
        let value = self.value(path);
        if let Some(variable) = value.and_then(|value| self.variable_within(value)) {
            return format!("environment variable {variable}");
        }
        let file = self.file.display();
        match self.line(path) {
            0 => file.to_string(),
            line => format!("{file}:{line}"),
        }
    }
}

/// No value: which of them are secrets is known only when all keys are.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.root.keys()).finish()
    }
}

/// The values as they were merged, one `key = value` per line, secrets as `***`. For settings that
/// were proven: below a key that is not known it would show a secret.
impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root
            .iter()
            .try_for_each(|(key, value)| write_values(f, &KeyPath::default().key(key), value))
    }
}

fn write_values(f: &mut fmt::Formatter<'_>, path: &KeyPath, value: &Value) -> fmt::Result {
    match value {
        Value::Dict(_, table) => table
            .iter()
            .try_for_each(|(key, value)| write_values(f, &path.key(key), value)),
        Value::Array(_, list) if list.iter().any(|element| element.as_dict().is_some()) => list
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| write_values(f, &path.index(index), value)),
        _ => match redact::shown(path, value) {
            Some(shown) => writeln!(f, "{path} = {shown}"),
            None => Ok(()),
        },
    }
}
