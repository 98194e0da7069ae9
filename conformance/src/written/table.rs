//! Tables of TOML, read key by key, so that all that is wrong is told with its line.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::Date;
use toml_edit::{ImDocument, Item, Key, TableLike, Value};

use super::{Fault, Wrong, nearest, wrong, wrong_name};
use crate::catalogue::{self, Entry};
use crate::report::shorten;

/// The tables of one name, each read key by key. Faults gather in `faults`.
pub(super) struct Tables {
    pub(super) tables: Vec<Table>,
    pub(super) faults: Vec<Fault>,
}

/// A table: of each key its line and its value.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) keys: BTreeMap<String, (usize, Item)>,
}

/// The line, from 1, that a span begins on.
fn line(text: &str, span: Option<Range<usize>>) -> usize {
    let at = span.map_or(0, |span| span.start);
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The whole text as a table.
pub(super) fn document(text: &str) -> Result<Table, Vec<Fault>> {
    match ImDocument::parse(text) {
        Ok(document) => Ok(Table::of("", 1, document.as_table(), text)),
        Err(error) => {
            // The parser tells what it expected on a line of its own.
            let told = error.message().replace('\n', ", ");
            Err(vec![Fault {
                line: line(text, error.span()),
                key: String::new(),
                value: String::new(),
                problem: wrong(format!("no TOML: {told}"), format!("geen TOML: {told}")),
            }])
        }
    }
}

impl Tables {
    /// Reads `[[name]]` tables. What is named almost so, or written as `[name]`, is a fault, and read all
    /// the same: it may have more.
    pub(super) fn read(text: &str, name: &'static str) -> Result<Self, Vec<Fault>> {
        let (mut tables, mut faults) = (Vec::new(), Vec::new());
        let document = document(text)?;
        for (key, (line, item)) in &document.keys {
            let fault = |problem| Fault {
                line: *line,
                key: key.clone(),
                value: String::new(),
                problem,
            };
            let is_named = key == name;
            if !is_named {
                faults.push(fault(wrong(
                    format!("unknown; the file holds [[{name}]] tables"),
                    format!("onbekend; het bestand bevat tabellen [[{name}]]"),
                )));
                if nearest(key, std::iter::once(name)).is_none() {
                    continue;
                }
            }
            let (found, is_list) = Table::all(key, item, text);
            let found = found.into_iter();
            tables.extend(found.filter(|table| is_named || !table.keys.is_empty()));
            if is_named && !is_list {
                faults.push(document.no_list(name));
            }
        }
        Ok(Self { tables, faults })
    }

    /// Makes a value of each table.
    pub(super) fn each<T>(
        mut self,
        keys: &[&str],
        mut make: impl FnMut(&Table, &mut Vec<Fault>) -> Option<T>,
    ) -> Result<Vec<T>, Vec<Fault>> {
        let mut made = Vec::new();
        for table in &self.tables {
            table.unknown(keys, &mut self.faults);
            made.extend(make(table, &mut self.faults));
        }
        if self.faults.is_empty() {
            Ok(made)
        } else {
            self.faults.sort_by_key(|fault| fault.line);
            Err(self.faults)
        }
    }
}

impl Table {
    fn of(name: &str, at: usize, table: &dyn TableLike, text: &str) -> Self {
        let keys = table.iter().map(|(name, item)| {
            let key = table.key(name).and_then(Key::span);
            (name.to_owned(), (line(text, key), item.clone()))
        });
        Self {
            name: name.to_owned(),
            line: at,
            keys: keys.collect(),
        }
    }

    /// The tables in an item, and whether it is a list of tables.
    fn all(name: &str, item: &Item, text: &str) -> (Vec<Self>, bool) {
        let of = |span, table: &dyn TableLike| Self::of(name, line(text, span), table, text);
        match item {
            Item::ArrayOfTables(all) => (
                all.iter().map(|table| of(table.span(), table)).collect(),
                true,
            ),
            Item::Value(Value::Array(all)) => {
                let tables = all.iter();
                let tables = tables.filter_map(|one| Some(of(one.span(), one.as_inline_table()?)));
                let tables: Vec<_> = tables.collect();
                let is_list = tables.len() == all.len();
                (tables, is_list)
            }
            one => {
                let table = one.as_table_like().map(|table| of(one.span(), table));
                (table.into_iter().collect(), false)
            }
        }
    }

    pub(super) fn fault(&self, key: &str, problem: Wrong) -> Fault {
        let (line, value) = match self.keys.get(key) {
            Some((line, value)) => (*line, shorten(value.to_string().trim())),
            None => (self.line, String::new()),
        };
        Fault {
            line,
            key: key.to_owned(),
            value,
            problem,
        }
    }

    /// Tells of keys that are none.
    pub(super) fn unknown(&self, known: &[&str], faults: &mut Vec<Fault>) {
        for (key, (line, _)) in &self.keys {
            if known.contains(&&**key) {
                continue;
            }
            let key = match &*self.name {
                "" => shorten(key),
                name => format!("{name}.{}", shorten(key)),
            };
            let last = key.rsplit('.').next().unwrap_or_default();
            let problem = wrong_name("unknown", "onbekend", last, known.iter().copied());
            let (line, value) = (*line, String::new());
            faults.push(Fault {
                line,
                key,
                value,
                problem,
            });
        }
    }

    /// A value of a kind, where there is one.
    pub(super) fn of_kind<T>(
        &self,
        key: &str,
        kind: impl Fn(&Item) -> Option<T>,
        (en, nl): (&str, &str),
        faults: &mut Vec<Fault>,
    ) -> Option<T> {
        let value = kind(&self.keys.get(key)?.1);
        if value.is_none() {
            faults.push(self.fault(key, wrong(en, nl)));
        }
        value
    }

    /// A text, or a list of them.
    pub(super) fn texts(&self, key: &str, faults: &mut Vec<Fault>) -> Vec<String> {
        let texts = |item: &Item| match item.as_array() {
            Some(all) => all
                .iter()
                .map(|one| Some(one.as_str()?.to_owned()))
                .collect(),
            None => Some(vec![item.as_str()?.to_owned()]),
        };
        let kind = (
            "neither text nor a list of texts",
            "geen tekst en geen lijst van teksten",
        );
        self.of_kind(key, texts, kind, faults).unwrap_or_default()
    }

    /// One of some words, or a list of them, and what each stands for.
    pub(super) fn choices<T: Copy>(
        &self,
        key: &str,
        known: &[(&str, T)],
        faults: &mut Vec<Fault>,
    ) -> Vec<T> {
        let mut chosen = Vec::new();
        for text in self.texts(key, faults) {
            match known.iter().find(|(name, _)| *name == text) {
                Some((_, value)) => chosen.push(*value),
                None => {
                    let all: Vec<_> = known.iter().map(|(name, _)| *name).collect();
                    let all = all.join(", ");
                    let problem = wrong(format!("none of {all}"), format!("niet een van {all}"));
                    faults.push(self.fault(key, problem));
                }
            }
        }
        chosen
    }

    /// A table in this one.
    pub(super) fn table(&self, key: &str, text: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let (mut tables, is_list) = Self::all(key, &self.keys.get(key)?.1, text);
        let table = tables.pop().filter(|_| !is_list);
        if table.is_none() {
            let (en, nl) = (
                format!("no table: write [{key}]"),
                format!("geen tabel: schrijf [{key}]"),
            );
            faults.push(self.fault(key, wrong(en, nl)));
        }
        table
    }

    /// The `[[key]]` tables in this one.
    pub(super) fn tables(&self, key: &str, text: &str, faults: &mut Vec<Fault>) -> Vec<Self> {
        let Some((_, item)) = self.keys.get(key) else {
            return Vec::new();
        };
        let (tables, is_list) = Self::all(key, item, text);
        if !is_list {
            faults.push(self.no_list(key));
        }
        tables
    }

    /// What is no list of tables.
    fn no_list(&self, key: &str) -> Fault {
        let problem = wrong(
            format!("is no list of tables: write [[{key}]]"),
            format!("is geen lijst van tabellen: schrijf [[{key}]]"),
        );
        let value = String::new();
        Fault {
            value,
            ..self.fault(key, problem)
        }
    }

    /// A text that has to be there and says something.
    pub(super) fn text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        let text = self.optional_text(key, faults);
        if !self.keys.contains_key(key) {
            faults.push(self.fault(key, wrong("missing", "ontbreekt")));
        }
        text
    }

    pub(super) fn optional_text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        let text = self.keys.get(key)?.1.as_str().map(str::trim);
        match text {
            Some("") => faults.push(self.fault(key, wrong("empty", "leeg"))),
            Some(text) => return Some(text.to_owned()),
            None => faults.push(self.fault(key, wrong("no text", "geen tekst"))),
        }
        None
    }

    /// A date that has to be there, as text or as TOML's own.
    pub(super) fn date(&self, key: &str, faults: &mut Vec<Fault>) -> Option<Date> {
        let date = match self.keys.get(key) {
            None => {
                faults.push(self.fault(key, wrong("missing", "ontbreekt")));
                return None;
            }
            Some((_, date)) => match date.as_datetime() {
                Some(date) => date.to_string().parse().ok(),
                None => date.as_str().and_then(|text| text.parse().ok()),
            },
        };
        if date.is_none() {
            let problem = wrong(
                "no date of the form 2027-01-31",
                "geen datum in de vorm 2027-01-31",
            );
            faults.push(self.fault(key, problem));
        }
        date
    }

    /// A rule of the catalogue that has to be there.
    pub(super) fn rule(&self, faults: &mut Vec<Fault>) -> Option<&'static Entry> {
        let name = self.text("rule", faults)?;
        let entry = catalogue::entry(&name);
        if entry.is_none() {
            let ids = catalogue::entries().iter().map(|entry| &*entry.id);
            let (en, nl) = ("no rule has this name", "geen regel heeft deze naam");
            let problem = wrong_name(en, nl, &name, ids);
            faults.push(self.fault("rule", problem));
        }
        entry
    }
}
