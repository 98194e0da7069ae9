//! A value of the settings, and the types it is read as: the type says what a text means, so that files may
//! leave out quotes and variables can hold any value.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

use figment::value::Value;
use http::HeaderName;
use serde_json::{Value as Json, json};

use super::key_path::KeyPath;
use super::problem::{Fault, Findings, Reported};
use super::references::{is_composed, written};
use super::table::Table;
use super::words::list;

pub(crate) trait Setting: Sized {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported>;

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

/// What a value that is no text may be instead, in the JSON Schema.
pub(super) const REFERENCE: &str = r"^\$\{.+\}$";

pub(crate) struct SettingValue<'d> {
    pub(super) findings: &'d Findings<'d>,
    pub(super) path: KeyPath,
    pub(super) value: &'d Value,
}

impl<'d> SettingValue<'d> {
    pub(crate) fn text(&self, expected: &str) -> Result<String, Reported> {
        let meant = self.meant().ok_or_else(|| self.expected(expected))?;
        meant.map_err(|fault| self.report(fault))
    }

    /// Of a single value, with what variables hold. Without a report.
    pub(crate) fn meant(&self) -> Option<Result<String, Fault>> {
        let written = written(self.value)?;
        Some(match self.is_of_file() {
            true => self.findings.document.references.replaced(&written),
            false => Ok(written.into_owned()),
        })
    }

    fn is_of_file(&self) -> bool {
        self.findings.document.is_of_file(self.value)
    }

    /// A value that is no text comes of one variable as a whole, or of none.
    pub(super) fn parse<T: FromStr>(&self, expected: &str) -> Result<T, Reported> {
        let text = self.text(expected)?;
        if self.is_of_file() && self.value.as_str().is_some_and(is_composed) {
            let what = "is composed with a variable, as only a text can be";
            let fault = Fault::new(what, "let one ${VARIABLE} hold the whole value");
            return Err(self.report(fault));
        }
        let parsed = text.trim().parse();
        parsed.map_err(|_| self.expected(expected))
    }

    /// Relative to the folder of the settings file.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.findings.document.file.with_file_name(path)
    }

    /// As properties of librdkafka do, by their last word.
    pub(crate) fn names_a_file(&self) -> bool {
        let name = self.path.keys().next_back();
        name.is_some_and(|name| name.ends_with(".location"))
    }

    /// Whether the value itself, or a default of it, stands in the file and not in a variable.
    pub(crate) fn is_in_file(&self) -> bool {
        let written = self.value.as_str().unwrap_or_default();
        let refers = written.replace("$${", "").contains("${") && !written.contains(":-");
        self.is_of_file() && !refers
    }

    pub(crate) fn table(&self) -> Result<Table<'d>, Reported> {
        let Some(entries) = self.value.as_dict() else {
            let key = self.path.keys().next_back().unwrap_or_default();
            let remedy = format!("write it as a table: {key} = {{ … }}");
            return Err(self.report(Fault::new("expected a table", remedy).unshown()));
        };
        Ok(Table::new(self.findings, self.path.clone(), entries))
    }

    /// Also reports unknown keys.
    pub(crate) fn section<T>(
        &self,
        read: impl FnOnce(&Table<'d>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let table = self.table()?;
        let section = read(&table);
        table.finish();
        section
    }

    pub(crate) fn one_of<'k>(&self, keys: &[&'k str]) -> Result<(&'k str, Self), Reported> {
        let entries = self.value.as_dict().filter(|entries| entries.len() == 1);
        let entry = entries.and_then(|entries| entries.iter().next());
        let known = entry.and_then(|(name, value)| {
            let key = keys.iter().find(|key| *key == name)?;
            Some((*key, self.inner(self.path.key(name), value)))
        });
        known.ok_or_else(|| {
            let keys = list(keys.iter().copied());
            self.expected(&format!(
                "expected a table with exactly one of the keys {keys}"
            ))
        })
    }

    pub(super) fn elements(&self) -> Option<Vec<Self>> {
        let elements = self.value.as_array()?.iter().enumerate();
        let elements = elements.map(|(index, value)| self.inner(self.path.index(index), value));
        Some(elements.collect())
    }

    pub(super) fn inner<'v>(&self, path: KeyPath, value: &'v Value) -> SettingValue<'v>
    where
        'd: 'v,
    {
        SettingValue {
            findings: self.findings,
            path,
            value,
        }
    }

    pub(crate) fn report(&self, fault: Fault) -> Reported {
        self.findings.report(self.path.clone(), fault, false);
        Reported
    }

    /// A list or table where a single value belongs is not shown: it was meant for another place, and may be
    /// secret.
    pub(crate) fn expected(&self, what: &str) -> Reported {
        let fault = Fault::new(what.to_owned(), "correct the value");
        self.report(match self.value {
            Value::Array(..) | Value::Dict(..) => fault.unshown(),
            _ => fault,
        })
    }
}

/// Reads all, so that every fault is reported.
fn all<T>(read: impl Iterator<Item = Result<T, Reported>>) -> Result<Vec<T>, Reported> {
    let read: Vec<_> = read.collect();
    read.into_iter().collect()
}

impl Setting for String {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.text("expected a string")
    }
}

/// A file that the bridge reads: its content counts as a setting.
impl Setting for PathBuf {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let path = found.resolve(&String::read(found)?);
        found.findings.inputs.borrow_mut().file(&path);
        Ok(path)
    }
}

/// One that a listener takes over while it serves: its content starts no route anew.
pub(crate) struct FollowedFile(PathBuf);

impl Setting for FollowedFile {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let path = found.resolve(&String::read(found)?);
        found.findings.inputs.borrow_mut().follow(&path);
        Ok(Self(path))
    }
}

impl From<FollowedFile> for PathBuf {
    fn from(FollowedFile(path): FollowedFile) -> Self {
        path
    }
}

impl Setting for bool {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected true or false")
    }

    fn schema() -> Json {
        json!({ "type": ["boolean", "string"], "pattern": REFERENCE })
    }
}

impl Setting for usize {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected a whole number, 0 or more")
    }

    fn schema() -> Json {
        json!({ "type": ["integer", "string"], "minimum": 0, "pattern": REFERENCE })
    }
}

impl Setting for f64 {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected a number")
    }

    fn schema() -> Json {
        json!({ "type": ["number", "string"], "pattern": REFERENCE })
    }
}

impl Setting for NonZeroUsize {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected a whole number above 0")
    }

    fn schema() -> Json {
        json!({ "type": ["integer", "string"], "minimum": 1, "pattern": REFERENCE })
    }
}

impl Setting for NonZeroU32 {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let number = NonZeroUsize::read(found)?;
        let too_large = |_| found.expected(&format!("expected a whole number up to {}", u32::MAX));
        number.try_into().map_err(too_large)
    }

    fn schema() -> Json {
        NonZeroUsize::schema()
    }
}

impl Setting for SocketAddr {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let text = String::read(found)?;
        let remedy = "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080; \
                      localhost:8080 is the first of them, and :8080 all addresses";
        let fault = |_| found.report(Fault::new("is not an IP address with a port", remedy));
        let parsed = match text.rsplit_once(':') {
            Some(("localhost", port)) => format!("127.0.0.1:{port}").parse(),
            Some(("", port)) => format!("0.0.0.0:{port}").parse(),
            _ => text.parse(),
        };
        parsed.map_err(fault)
    }
}

impl Setting for HeaderName {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let text = String::read(found)?;
        let remedy = "write one such as X-Api-Key or ssl-client-cert";
        let fault = |_| found.report(Fault::new("is not the name of a header", remedy));
        text.parse().map_err(fault)
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        if let Some(elements) = found.elements() {
            return all(elements.iter().map(T::read));
        }
        if found.value.as_str().is_none() {
            let fault = Fault::new("expected a list", "correct the value");
            return Err(found.report(fault.unshown()));
        }
        // As a variable holds a list.
        let text = found.text("expected a list")?;
        let parts = text.split(',').map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).map(Value::from);
        all(parts.map(|part| T::read(&found.inner(found.path.clone(), &part))))
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema() })
    }
}

impl<T: Setting> Setting for BTreeMap<String, T> {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let table = found.table()?;
        let entries = table.entries();
        let read = entries.map(|(name, value)| Ok((name.to_owned(), T::read(&value)?)));
        Ok(all(read)?.into_iter().collect())
    }

    fn schema() -> Json {
        json!({ "type": "object", "additionalProperties": T::schema() })
    }
}
