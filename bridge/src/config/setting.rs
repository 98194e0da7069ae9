//! A value of the settings, and the types it is read as: the type says what a text means, so that files may
//! leave out quotes and variables can hold any value.

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

pub(crate) trait Setting: Sized {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported>;

    fn schema() -> Json;
}

pub(crate) struct SettingValue<'d> {
    pub(super) findings: &'d Findings<'d>,
    pub(super) path: KeyPath,
    pub(super) value: &'d Value,
}

impl<'d> SettingValue<'d> {
    /// `None` for lists and tables.
    pub(crate) fn text(&self) -> Option<String> {
        match self.value {
            Value::String(_, text) => Some(text.clone()),
            Value::Num(_, number) => Some(number_text(*number)),
            Value::Bool(_, truth) => Some(truth.to_string()),
            Value::Char(..) | Value::Dict(..) | Value::Array(..) | Value::Empty(..) => None,
        }
    }

    pub(super) fn parse<T: FromStr>(&self, expected: &str) -> Result<T, Reported> {
        let parsed = self.text().and_then(|text| text.trim().parse().ok());
        parsed.ok_or_else(|| self.expected(expected))
    }

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

    pub(crate) fn report(&self, fault: Fault) -> Reported {
        self.findings.report(&self.path, fault)
    }

    /// A list or table where a single value belongs is not shown: it was meant for another place, and may be
    /// secret.
    pub(crate) fn expected(&self, what: &str) -> Reported {
        let fault = Fault::new(what.to_owned(), "correct the value");
        self.report(match self.value {
            Value::Dict(..) | Value::Array(..) => fault.unshown(),
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
        found
            .text()
            .ok_or_else(|| found.expected("expected a string"))
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

/// A file that the bridge reads: its content counts as a setting.
impl Setting for PathBuf {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let path = String::read(found).map(Self::from)?;
        found.findings.inputs.borrow_mut().file(&path);
        Ok(path)
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
