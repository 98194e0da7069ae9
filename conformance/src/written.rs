//! What people write beside the messages: waivers and declarations, as TOML.
//!
//! A file is read whole and every fault in it is told at once, with line, key and value. This module
//! knows tables of texts and dates; what they mean is told in its two parts.

mod declarations;
mod waivers;

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use toml::{Spanned, Value};

use crate::catalogue::{self, Entry};
use crate::language::Language;
use crate::report::shorten;

pub use declarations::{Declaration, Declarations};
pub use waivers::{Waiver, Waivers};

/// Something wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The key, and empty where the text is no TOML.
    pub key: String,
    /// The value, shortened, and empty where there is none.
    pub value: String,
    /// What is wrong with it.
    pub problem: Wrong,
}

/// What is wrong, in the languages of reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wrong {
    /// English.
    pub en: String,
    /// Dutch.
    pub nl: String,
}

impl Fault {
    /// The fault with its place, in a language: `line: key = value: problem`.
    #[must_use]
    pub fn told(&self, language: Language) -> String {
        let problem = match language {
            Language::English => &self.problem.en,
            Language::Dutch => &self.problem.nl,
        };
        let Self {
            line, key, value, ..
        } = self;
        match (&**key, &**value) {
            ("", _) => format!("{line}: {problem}"),
            (key, "") => format!("{line}: {key}: {problem}"),
            (key, value) => format!("{line}: {key} = {value}: {problem}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(Language::English))
    }
}

fn wrong(en: impl Into<String>, nl: impl Into<String>) -> Wrong {
    let (en, nl) = (en.into(), nl.into());
    Wrong { en, nl }
}

/// The same with the name that was perhaps meant.
fn wrong_name<'n>(en: &str, nl: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Wrong {
    match nearest(name, known) {
        Some(near) => wrong(
            format!("{en}; did you mean {near}?"),
            format!("{nl}; bedoelde u {near}?"),
        ),
        None => wrong(en, nl),
    }
}

/// The tables of one name, each read key by key. Faults gather in `faults`.
struct Tables {
    tables: Vec<Table>,
    faults: Vec<Fault>,
}

struct Table {
    name: String,
    line: usize,
    keys: BTreeMap<String, (usize, Value)>,
}

type Raw = BTreeMap<Spanned<String>, Spanned<Value>>;

/// What stands under a key of the file.
enum Given {
    Table(Raw),
    List(Vec<Spanned<Self>>),
    Other,
}

impl Given {
    /// The tables in it, with where they begin, and whether it is a list of tables.
    fn tables(given: Spanned<Self>) -> (Vec<(usize, Raw)>, bool) {
        let span = given.span();
        let (list, mut is_list) = match given.into_inner() {
            Self::List(list) => (list, true),
            one => (vec![Spanned::new(span, one)], false),
        };
        let mut tables = Vec::new();
        for one in list {
            let at = one.span().start;
            match one.into_inner() {
                Self::Table(keys) => tables.push((at, keys)),
                _ => is_list = false,
            }
        }
        (tables, is_list)
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyGiven)
    }
}

struct AnyGiven;

impl<'de> Visitor<'de> for AnyGiven {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Given, A::Error> {
        // A date comes as a map too, but its key has no place in the file.
        let raw = Raw::deserialize(MapAccessDeserializer::new(map));
        Ok(raw.map_or(Given::Other, Given::Table))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Given, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element()? {
            all.push(one);
        }
        Ok(Given::List(all))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Given, E> {
        Ok(Given::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Given, E> {
        Ok(Given::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Given, E> {
        Ok(Given::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Given, E> {
        Ok(Given::Other)
    }
}

impl Tables {
    /// Reads `[[name]]` tables. What is named almost so, or written as `[name]`, is a fault, and read all
    /// the same: it may have more.
    fn read(text: &str, name: &'static str) -> Result<Self, Vec<Fault>> {
        let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let fault = |at: usize, key: &str, problem: Wrong| Fault {
            line: line(at),
            key: key.to_owned(),
            value: String::new(),
            problem,
        };
        let file: BTreeMap<Spanned<String>, Spanned<Given>> =
            toml::from_str(text).map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                // The parser tells what it expected on a line of its own.
                let told = error.message().replace('\n', ", ");
                let problem = wrong(format!("no TOML: {told}"), format!("geen TOML: {told}"));
                vec![fault(at, "", problem)]
            })?;
        let (mut tables, mut faults) = (Vec::new(), Vec::new());
        for (key, given) in file {
            let at = key.span().start;
            let is_named = key.as_ref() == name;
            if !is_named {
                let problem = wrong(
                    format!("unknown; the file holds [[{name}]] tables"),
                    format!("onbekend; het bestand bevat tabellen [[{name}]]"),
                );
                faults.push(fault(at, key.as_ref(), problem));
                if nearest(key.as_ref(), std::iter::once(name)).is_none() {
                    continue;
                }
            }
            let (given, is_list) = Given::tables(given);
            let given = given.into_iter();
            let given = given.filter(|(_, keys)| is_named || !keys.is_empty());
            tables.extend(given.map(|(at, keys)| Table::of(key.as_ref(), line(at), keys, line)));
            if is_named && !is_list {
                let problem = wrong(
                    format!("is no list of tables: write [[{name}]]"),
                    format!("is geen lijst van tabellen: schrijf [[{name}]]"),
                );
                faults.push(fault(at, name, problem));
            }
        }
        Ok(Self { tables, faults })
    }

    /// Makes a value of each table.
    fn each<T>(
        mut self,
        keys: &[&str],
        mut make: impl FnMut(&Table, &mut Vec<Fault>) -> Option<T>,
    ) -> Result<Vec<T>, Vec<Fault>> {
        let mut made = Vec::new();
        for table in &self.tables {
            for (key, (line, _)) in &table.keys {
                if !keys.contains(&&**key) {
                    let problem = wrong_name("unknown", "onbekend", key, keys.iter().copied());
                    let key = format!("{}.{}", table.name, shorten(key));
                    let (line, value) = (*line, String::new());
                    self.faults.push(Fault {
                        line,
                        key,
                        value,
                        problem,
                    });
                }
            }
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
    fn of(name: &str, at: usize, keys: Raw, line: impl Fn(usize) -> usize) -> Self {
        let keys = keys.into_iter().map(|(key, value)| {
            let at = line(key.span().start);
            (key.into_inner(), (at, value.into_inner()))
        });
        Self {
            name: name.to_owned(),
            line: at,
            keys: keys.collect(),
        }
    }

    fn fault(&self, key: &str, problem: Wrong) -> Fault {
        let (line, value) = match self.keys.get(key) {
            Some((line, value)) => (*line, shorten(&value.to_string())),
            None => (self.line, String::new()),
        };
        Fault {
            line,
            key: key.to_owned(),
            value,
            problem,
        }
    }

    /// A text that has to be there and says something.
    fn text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        let text = self.optional_text(key, faults);
        if !self.keys.contains_key(key) {
            faults.push(self.fault(key, wrong("missing", "ontbreekt")));
        }
        text
    }

    fn optional_text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        match &self.keys.get(key)?.1 {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::String(_) => {
                faults.push(self.fault(key, wrong("empty", "leeg")));
                None
            }
            _ => {
                faults.push(self.fault(key, wrong("no text", "geen tekst")));
                None
            }
        }
    }

    /// A date that has to be there, as text or as TOML's own.
    fn date(&self, key: &str, faults: &mut Vec<Fault>) -> Option<Date> {
        let date = match self.keys.get(key) {
            None => {
                faults.push(self.fault(key, wrong("missing", "ontbreekt")));
                return None;
            }
            Some((_, Value::String(text))) => text.parse().ok(),
            Some((_, Value::Datetime(date))) => date.to_string().parse().ok(),
            Some(_) => None,
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
    fn rule(&self, faults: &mut Vec<Fault>) -> Option<&'static Entry> {
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

/// The name that was perhaps meant, where one is near.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let upper = name.to_ascii_uppercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&known.to_ascii_uppercase(), &upper);
    let (distance, near) = known.map(|known| (distance(known), known)).min()?;
    (distance <= name.len().max(3) / 3).then_some(near)
}
