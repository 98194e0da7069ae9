//! One table of the settings. To read a key is to describe it: meaning, type, default; what was asked for is
//! what the table may hold.

use std::borrow::{Borrow, Cow};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use figment::value::{Dict, Value};

use super::describe::{Absence, Key};
use super::document::merged;
use super::inputs::Inputs;
use super::key_path::KeyPath;
use super::problem::{Fault, Findings, Reported};
use super::setting::{Setting, SettingValue};
use super::words::{did_you_mean, list};

/// `finish` reports the keys that nobody asked for.
pub struct Table<'d> {
    findings: &'d Findings<'d>,
    path: KeyPath,
    entries: &'d Dict,
    keys: RefCell<Vec<Key>>,
    is_sound: Cell<bool>,
}

static EMPTY: Dict = Dict::new();

impl<'d> Table<'d> {
    pub(super) fn new(findings: &'d Findings<'d>, path: KeyPath, entries: &'d Dict) -> Self {
        Self {
            findings,
            path,
            entries,
            keys: RefCell::default(),
            is_sound: Cell::new(true),
        }
    }

    /// `meaning` goes into `config/README.md`.
    pub(crate) fn key<T: Setting>(
        &self,
        key: &'static str,
        meaning: impl Into<Cow<'static, str>>,
    ) -> KeyReader<'_, 'd, T> {
        KeyReader {
            table: self,
            key,
            meaning: meaning.into(),
            check: Box::new(|_| Ok(())),
        }
    }

    /// Longer than zero.
    pub(crate) fn wait(
        &self,
        key: &'static str,
        meaning: impl Into<Cow<'static, str>>,
    ) -> KeyReader<'_, 'd, Duration> {
        self.key(key, meaning).must(|wait: &Duration| {
            let remedy = "give a longer time, or leave the key out";
            Fault::unless(!wait.is_zero(), "is no time at all", remedy)
        })
    }

    /// An empty table where there is none.
    pub(crate) fn section<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Self) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        match self.found(key) {
            Some(found) => found.section(read),
            None => read(&self.nothing(key)),
        }
    }

    pub(crate) fn part<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Self) -> Result<T, Reported>,
    ) -> Option<Result<T, Reported>> {
        self.found(key).map(|found| found.section(read))
    }

    pub(crate) fn table(&self, key: &'static str) -> Option<Self> {
        self.found(key)?.table().ok()
    }

    pub(crate) fn list(&self, key: &'static str) -> Vec<Self> {
        let Some(found) = self.found(key) else {
            return Vec::new();
        };
        let elements = found.elements().unwrap_or_else(|| {
            let remedy = format!("write [[{key}]]");
            found.report(Fault::new("expected a list of tables", remedy).unshown());
            Vec::new()
        });
        let tables = elements.iter().filter_map(|element| element.table().ok());
        tables.collect()
    }

    /// The choice whose key is there. Without one, too little is known to tell what other keys mean.
    pub(crate) fn choose<T: Copy>(
        &self,
        choices: &[(&'static str, T)],
        [none, several]: [&'static str; 2],
    ) -> Result<(&'static str, T), Reported> {
        let chosen: Vec<_> = choices.iter().filter(|(key, _)| self.has(key)).collect();
        let (keys, what, verb) = match chosen[..] {
            [choice] => return Ok(*choice),
            [] => (choices.iter().collect(), none, "set"),
            _ => (chosen, several, "keep"),
        };
        self.know_all();
        let keys = list(keys.into_iter().map(|(key, _)| *key));
        Err(self.report(&[], what, format!("{verb} one of the keys {keys}")))
    }

    /// What is read of the table `[KIND.NAME]` that the key of that kind names.
    pub(crate) fn reference<T>(
        &self,
        kind: &'static str,
        meaning: &'static str,
        read: impl FnOnce(&Self) -> Result<T, Reported>,
    ) -> Result<Option<T>, Reported> {
        let Some(name) = self.key::<String>(kind, meaning).optional("none")? else {
            return Ok(None);
        };
        match self.named(kind, &name) {
            Ok(found) => found.section(read).map(Some),
            Err(fault) => Err(self.fault(&[kind], fault)),
        }
    }

    /// The table `[KIND.NAME]`, which counts as used.
    pub(crate) fn named(&self, kind: &'static str, name: &str) -> Result<SettingValue<'d>, Fault> {
        let root = self.findings.document.table(self.findings);
        let tables = root.table(kind);
        if let Some(found) = tables.as_ref().and_then(|tables| tables.found(name)) {
            let mut used = self.findings.used.borrow_mut();
            used.insert((kind, name.to_owned()));
            return Ok(found);
        }
        let names: Vec<_> = tables.iter().flat_map(Table::names).collect();
        let known = || names.iter().copied();
        let remedy = did_you_mean(name, known(), || match names.is_empty() {
            true => format!("add a table [{kind}.{name}]"),
            false => format!(
                "name one of {}, or add a table [{kind}.{name}]",
                list(known())
            ),
        });
        let what = format!("there is no table [{kind}.{name}]");
        Err(Fault::new(what, remedy))
    }

    /// Names of tables `[KIND.NAME]` that something names.
    pub(crate) fn used(&self, kind: &str) -> BTreeSet<String> {
        let used = self.findings.used.borrow();
        let used = used.iter().filter(|(other, _)| *other == kind);
        used.map(|(_, name)| name.clone()).collect()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'d str, SettingValue<'d>)> {
        self.names()
            .filter_map(|name| Some((name, self.found(name)?)))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        self.entries.keys().map(String::as_str)
    }

    pub(crate) fn nothing(&self, key: &str) -> Self {
        Self::new(self.findings, self.path.key(key), &EMPTY)
    }

    pub(crate) fn name(&self) -> String {
        self.path.to_string()
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// What is looked for is known, whatever reads it.
    pub(crate) fn found(&self, key: &str) -> Option<SettingValue<'d>> {
        self.note(Key::hidden(key));
        Some(SettingValue {
            findings: self.findings,
            path: self.path.key(key),
            value: self.entries.get(key)?,
        })
    }

    /// Where too little is known to tell.
    pub(crate) fn know_all(&self) {
        self.names().for_each(|name| self.note(Key::hidden(name)));
    }

    /// Relative to the folder of the settings file.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.findings.document.file.with_file_name(path)
    }

    /// A file that a setting names in its own way: its content counts too.
    pub(crate) fn depends_on(&self, file: &Path) {
        self.findings.inputs.borrow_mut().file(file);
    }

    /// What was read since the last call, by whatever table of the document.
    pub(crate) fn take_inputs(&self) -> Inputs {
        self.findings.inputs.take()
    }

    fn note(&self, key: Key) {
        let mut keys = self.keys.borrow_mut();
        match keys.iter_mut().find(|known| known.name == key.name) {
            Some(known) if known.schema.is_none() => *known = key,
            Some(_) => {}
            None => keys.push(key),
        }
    }

    /// With the value that `keys` lead to, or with the table itself.
    pub(crate) fn report(
        &self,
        keys: &[&str],
        what: impl Into<Cow<'static, str>>,
        remedy: impl Into<Cow<'static, str>>,
    ) -> Reported {
        self.fault(keys, Fault::new(what, remedy))
    }

    pub(crate) fn fault(&self, keys: &[&str], fault: Fault) -> Reported {
        self.is_sound.set(false);
        self.findings.report(self.at(keys), fault, false);
        Reported
    }

    pub(crate) fn warn(
        &self,
        keys: &[&str],
        what: impl Into<Cow<'static, str>>,
        remedy: impl Into<Cow<'static, str>>,
    ) {
        let fault = Fault::new(what, remedy);
        self.findings.report(self.at(keys), fault, true);
    }

    fn at(&self, keys: &[&str]) -> KeyPath {
        let path = self.path.clone();
        keys.iter().fold(path, |path, key| path.key(key))
    }

    /// Reports keys that are set where they mean nothing.
    pub(crate) fn refuse(&self, keys: &[&str], what: &'static str, remedy: &'static str) {
        for key in keys.iter().filter(|key| self.has(key)) {
            self.report(&[key], what, remedy);
        }
    }

    pub(crate) fn sound(&self) -> Result<(), Reported> {
        self.is_sound.get().then_some(()).ok_or(Reported)
    }

    /// Reports unknown keys, and nothing of their values.
    pub(crate) fn finish(&self) {
        let keys = self.keys.borrow();
        let known = || keys.iter().map(|key| &*key.name);
        for name in self.names().filter(|name| known().all(|key| key != *name)) {
            let otherwise = || format!("remove it; the keys here are {}", list(known()));
            let remedy = did_you_mean(name, known(), otherwise);
            let fault = Fault::new("is not a key of this table", remedy);
            self.fault(&[name], fault.unshown());
        }
    }

    pub(super) fn into_keys(self) -> Vec<Key> {
        self.keys.into_inner()
    }
}

/// What stands for the key where it is left out is still to be said.
#[must_use]
pub(crate) struct KeyReader<'t, 'd, T> {
    table: &'t Table<'d>,
    key: &'static str,
    meaning: Cow<'static, str>,
    check: Check<T>,
}

type Check<T> = Box<dyn Fn(&T) -> Result<(), Fault>>;

impl<T: Setting> KeyReader<'_, '_, T> {
    pub(crate) fn must<B: ?Sized + 'static>(self, check: fn(&B) -> Result<(), Fault>) -> Self
    where
        T: Borrow<B>,
    {
        let check = Box::new(move |value: &T| check(value.borrow()));
        Self { check, ..self }
    }

    pub(crate) fn required(self) -> Result<T, Reported> {
        self.note(Absence::Required);
        let (table, key) = (self.table, self.key);
        self.value().unwrap_or_else(|| {
            let names: Vec<_> = table.path.keys().collect();
            let place = match names.as_slice() {
                [] => "above the first table".to_owned(),
                ["route"] => "to this [[route]]".to_owned(),
                names => format!("to [{}]", names.join(".")),
            };
            Err(table.report(&[key], "is missing", format!("add `{key} = …` {place}")))
        })
    }

    pub(crate) fn or(self, default: &'static str) -> Result<T, Reported> {
        self.note(Absence::Default(default));
        let (table, path) = (self.table, self.table.path.key(self.key));
        self.value().unwrap_or_else(|| {
            let value = default.parse::<toml_edit::Value>();
            let value = value.map_or_else(|_| Value::from(default), |value| merged(&value));
            let found = SettingValue {
                findings: table.findings,
                path,
                value: &value,
            };
            table.findings.in_effect(&found, true);
            T::read(&found)
        })
    }

    /// `without` says what goes on where it is not there.
    pub(crate) fn optional(self, without: &'static str) -> Result<Option<T>, Reported> {
        self.note(Absence::Means(without));
        self.value().transpose()
    }

    fn note(&self, absence: Absence) {
        self.table.note(Key {
            name: self.key.into(),
            meaning: self.meaning.clone(),
            absence,
            schema: Some(T::schema),
        });
    }

    fn value(self) -> Option<Result<T, Reported>> {
        let (table, found) = (self.table, self.table.found(self.key)?);
        table.findings.in_effect(&found, false);
        let read = T::read(&found).and_then(|value| match (self.check)(&value) {
            Ok(()) => Ok(value),
            Err(fault) => Err(found.report(fault)),
        });
        table.is_sound.set(table.is_sound.get() && read.is_ok());
        Some(read)
    }
}
