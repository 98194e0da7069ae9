//! Tables of TOML, read key by key, so that all that is wrong is told with its line.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::civil::Date;
use toml_edit::{ImDocument, Item, Key, TableLike, Value};

use super::{Fault, Wrong, finish, nearest, wrong, wrong_name};
use crate::catalogue::{self, Entry};
use crate::report::shorten;

/// A table: of each key its line and its value.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) keys: BTreeMap<String, (usize, Item)>,
    /// The keys that were asked for: any other is unknown.
    asked: RefCell<BTreeSet<String>>,
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
            let problem = wrong(format!("no TOML: {told}"), format!("geen TOML: {told}"));
            Err(vec![Fault::new(line(text, error.span()), "", problem)])
        }
    }
}

/// Makes a value of each `[[name]]` table. What is named almost so, or written as `[name]`, is a fault, and
/// read all the same: it may have more.
pub(super) fn each<T>(
    text: &str,
    name: &str,
    mut make: impl FnMut(&Table, &mut Vec<Fault>) -> Option<T>,
) -> Result<Vec<T>, Vec<Fault>> {
    let (mut made, mut faults) = (Vec::new(), Vec::new());
    let document = document(text)?;
    for (key, (line, item)) in &document.keys {
        let is_named = key == name;
        if !is_named {
            let problem = wrong(
                format!("unknown; the file holds [[{name}]] tables"),
                format!("onbekend; het bestand bevat tabellen [[{name}]]"),
            );
            faults.push(Fault::new(*line, key, problem));
            if nearest(key, std::iter::once(name)).is_none() {
                continue;
            }
        }
        let (tables, is_list) = Table::all(key, item, text);
        if is_named && !is_list {
            faults.push(document.no_list(name));
        }
        for table in tables {
            if is_named || !table.keys.is_empty() {
                made.extend(make(&table, &mut faults));
                table.unknown(&mut faults);
            }
        }
    }
    finish(made, faults)
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
            asked: RefCell::default(),
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
            value,
            ..Fault::new(line, key, problem)
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Item> {
        self.asked.borrow_mut().insert(key.to_owned());
        self.keys.get(key).map(|(_, item)| item)
    }

    /// Tells of keys that nobody asked for.
    pub(super) fn unknown(&self, faults: &mut Vec<Fault>) {
        let known = self.asked.borrow();
        for (key, (line, _)) in self.keys.iter().filter(|(key, _)| !known.contains(*key)) {
            let key = match &*self.name {
                "" => shorten(key),
                name => format!("{name}.{}", shorten(key)),
            };
            let last = key.rsplit('.').next().unwrap_or_default();
            let names = known.iter().map(String::as_str);
            let problem = wrong_name("unknown", "onbekend", last, names);
            faults.push(Fault::new(*line, key, problem));
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
        let value = kind(self.get(key)?);
        if value.is_none() {
            faults.push(self.fault(key, wrong(en, nl)));
        }
        value
    }

    pub(super) fn flag(&self, key: &str, faults: &mut Vec<Fault>) -> Option<bool> {
        let kind = ("neither true nor false", "niet true of false");
        self.of_kind(key, Item::as_bool, kind, faults)
    }

    pub(super) fn number(&self, key: &str, faults: &mut Vec<Fault>) -> Option<usize> {
        let number = |item: &Item| usize::try_from(item.as_integer()?).ok();
        self.of_kind(key, number, ("no number", "geen getal"), faults)
    }

    /// A text, or a list of them.
    pub(super) fn texts(&self, key: &str, faults: &mut Vec<Fault>) -> Vec<String> {
        let text = |one: &Value| one.as_str().map(str::to_owned);
        let texts = |item: &Item| match item.as_array() {
            Some(all) => all.iter().map(text).collect(),
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
        let (mut tables, is_list) = Self::all(key, self.get(key)?, text);
        let table = tables.pop().filter(|_| !is_list);
        if table.is_none() {
            let en = format!("no table: write [{key}]");
            let nl = format!("geen tabel: schrijf [{key}]");
            faults.push(self.fault(key, wrong(en, nl)));
        }
        table
    }

    /// The `[[key]]` tables in this one.
    pub(super) fn tables(&self, key: &str, text: &str, faults: &mut Vec<Fault>) -> Vec<Self> {
        let Some(item) = self.get(key) else {
            return Vec::new();
        };
        let (tables, is_list) = Self::all(key, item, text);
        if !is_list {
            faults.push(self.no_list(key));
        }
        tables
    }

    fn no_list(&self, key: &str) -> Fault {
        let problem = wrong(
            format!("is no list of tables: write [[{key}]]"),
            format!("is geen lijst van tabellen: schrijf [[{key}]]"),
        );
        let line = self.keys.get(key).map_or(self.line, |(line, _)| *line);
        Fault::new(line, key, problem)
    }

    /// A text that has to be there and says something.
    pub(super) fn text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        self.needs(key, faults);
        self.optional_text(key, faults)
    }

    /// Tells of a key that is not there.
    pub(super) fn needs(&self, key: &str, faults: &mut Vec<Fault>) {
        if self.get(key).is_none() {
            faults.push(self.fault(key, wrong("missing", "ontbreekt")));
        }
    }

    pub(super) fn optional_text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        let text = self.get(key)?.as_str().map(str::trim);
        match text {
            Some("") => faults.push(self.fault(key, wrong("empty", "leeg"))),
            Some(text) => return Some(text.to_owned()),
            None => faults.push(self.fault(key, wrong("no text", "geen tekst"))),
        }
        None
    }

    /// A date that has to be there, as text or as TOML's own.
    pub(super) fn date(&self, key: &str, faults: &mut Vec<Fault>) -> Option<Date> {
        let date = |item: &Item| match item.as_datetime() {
            Some(date) => date.to_string().parse::<Date>().ok(),
            None => item.as_str()?.parse().ok(),
        };
        let kind = (
            "no date of the form 2027-01-31",
            "geen datum in de vorm 2027-01-31",
        );
        self.needs(key, faults);
        self.of_kind(key, date, kind, faults)
    }

    /// A rule of the catalogue that has to be there.
    pub(super) fn rule(&self, faults: &mut Vec<Fault>) -> Option<&'static Entry> {
        let name = self.text("rule", faults)?;
        let entry = catalogue::entry(&name);
        if entry.is_none() {
            let ids = catalogue::entries().iter().map(|entry| &*entry.id);
            let (en, nl) = ("no rule has this name", "geen regel heeft deze naam");
            faults.push(self.fault("rule", wrong_name(en, nl, &name, ids)));
        }
        entry
    }
}
