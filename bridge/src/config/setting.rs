//! A value of the settings, and the types that it is read as.
//!
//! A single value is a text, whether a file wrote it with quotes or without, or a variable holds it:
//! the type that is asked for says what the text means.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

use figment::value::{Num, Value};
use serde_json::{Value as Json, json};

use super::key_path::KeyPath;
use super::problem::{Fault, Findings, Reported};
use super::table::Table;
use super::words::list;

/// A type that settings are read as.
pub(crate) trait Setting: Sized {
    /// Reads a value, or reports why it is none of this type.
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported>;

    /// The JSON Schema of such a value.
    fn schema() -> Json;
}

/// A value, and where it stands.
pub(crate) struct SettingValue<'d> {
    pub(super) findings: &'d Findings<'d>,
    pub(super) path: KeyPath,
    pub(super) value: &'d Value,
}

impl<'d> SettingValue<'d> {
    /// The value as text, where it is a single one.
    pub(crate) fn text(&self) -> Option<String> {
        match self.value {
            Value::String(_, text) => Some(text.clone()),
            Value::Num(_, number) => Some(number_text(*number)),
            Value::Bool(_, truth) => Some(truth.to_string()),
            Value::Char(..) | Value::Dict(..) | Value::Array(..) | Value::Empty(..) => None,
        }
    }

    /// What the text means to a type that knows its own texts.
    pub(super) fn parse<T: FromStr>(&self, expected: &str) -> Result<T, Reported> {
        let parsed = self.text().and_then(|text| text.trim().parse().ok());
        parsed.ok_or_else(|| self.expected(expected))
    }

    /// The table that stands here.
    pub(crate) fn table(&self) -> Result<Table<'d>, Reported> {
        match self.value {
            Value::Dict(_, dict) => Ok(Table::new(self.findings, self.path.clone(), dict)),
            _ => {
                let key = self.path.keys().last().unwrap_or_default();
                let remedy = format!("write it as a table: {key} = {{ … }}");
                Err(self.report(Fault::new("expected a table", remedy).unshown()))
            }
        }
    }

    /// Reads the table that stands here, and reports the keys that nobody asked for.
    pub(crate) fn section<T>(
        &self,
        read: impl FnOnce(&Table<'d>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let table = self.table()?;
        let section = read(&table);
        table.finish();
        section
    }

    /// The only value of a table that has exactly one of these keys.
    pub(crate) fn one_of<'k>(&self, keys: &[&'k str]) -> Result<(&'k str, Self), Reported> {
        let dict = self.value.as_dict().filter(|dict| dict.len() == 1);
        let entry = dict.and_then(|dict| dict.iter().next());
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

    /// The elements of a list.
    pub(super) fn elements(&self) -> Option<Vec<Self>> {
        let Value::Array(_, list) = self.value else {
            return None;
        };
        let elements = list.iter().enumerate();
        let elements = elements.map(|(index, value)| self.inner(self.path.index(index), value));
        Some(elements.collect())
    }

    fn inner<'v>(&self, path: KeyPath, value: &'v Value) -> SettingValue<'v>
    where
        'd: 'v,
    {
        SettingValue {
            findings: self.findings,
            path,
            value,
        }
    }

    /// Reports what is wrong with the value.
    pub(crate) fn report(&self, fault: Fault) -> Reported {
        self.findings.report(&self.path, fault)
    }

    /// Reports that something else was expected. A list or table where a single value belongs is not
    /// shown: it was meant for another place, so nobody can tell whether it is a secret.
    pub(crate) fn expected(&self, what: &str) -> Reported {
        let fault = Fault::new(what.to_owned(), "correct the value");
        self.report(match self.value {
            Value::Dict(..) | Value::Array(..) => fault.unshown(),
            _ => fault,
        })
    }
}

/// All values, or none where one of them was reported.
fn all<T>(read: impl Iterator<Item = Result<T, Reported>>) -> Result<Vec<T>, Reported> {
    // The first fault must not end the search for the others.
    let read: Vec<_> = read.collect();
    read.into_iter().collect()
}

impl Setting for String {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found
            .text()
            .ok_or_else(|| found.expected("expected a string"))
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

impl Setting for PathBuf {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        String::read(found).map(Self::from)
    }

    fn schema() -> Json {
        String::schema()
    }
}

impl Setting for bool {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected true or false")
    }

    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

impl Setting for usize {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected a whole number, 0 or more")
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 0 })
    }
}

impl Setting for NonZeroUsize {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.parse("expected a whole number above 0")
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 1 })
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
        let remedy = "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080";
        let fault = |_| found.report(Fault::new("is not an IP address with a port", remedy));
        text.parse().map_err(fault)
    }

    fn schema() -> Json {
        String::schema()
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        if let Some(elements) = found.elements() {
            return all(elements.iter().map(T::read));
        }
        match found.value {
            // As a variable holds a list.
            Value::String(_, text) => {
                let parts = text.split(',').map(str::trim);
                let parts = parts.filter(|part| !part.is_empty()).map(Value::from);
                all(parts.map(|part| T::read(&found.inner(found.path.clone(), &part))))
            }
            _ => {
                let fault = Fault::new("expected a list", "correct the value");
                Err(found.report(fault.unshown()))
            }
        }
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

/// A number as people write it; a fraction always shows that it is one.
pub(super) fn number_text(number: Num) -> String {
    match (number.to_u128(), number.to_i128(), number.to_f64()) {
        (Some(number), _, _) => number.to_string(),
        (_, Some(number), _) => number.to_string(),
        (_, _, number) => format!("{:?}", number.unwrap_or_default()),
    }
}
