//! What people write beside the messages: waivers and declarations, as TOML.
//!
//! A file is read whole and every fault in it is told at once, with line, key and value. This module
//! knows tables of texts and dates; what they mean is told in its two parts.

mod declarations;
mod waivers;

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::Deserialize;
use toml::{Spanned, Value};

use crate::catalogue::{self, Entry};
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
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.line)?;
        if !self.key.is_empty() {
            f.write_str(&self.key)?;
            if !self.value.is_empty() {
                write!(f, " = {}", self.value)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.problem)
    }
}

/// The tables of one name, each read key by key. Faults gather in `faults`.
struct Tables {
    name: &'static str,
    tables: Vec<Table>,
    faults: Vec<Fault>,
}

struct Table {
    line: usize,
    keys: BTreeMap<String, (usize, Value)>,
}

type Raw = BTreeMap<Spanned<String>, Spanned<Value>>;

impl Tables {
    /// Reads `[[name]]` tables and nothing else.
    fn read(text: &str, name: &'static str) -> Result<Self, Vec<Fault>> {
        let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let fault = |line: usize, key: &str, value: &str, problem: String| Fault {
            line,
            key: key.to_owned(),
            value: value.to_owned(),
            problem,
        };
        let file: BTreeMap<Spanned<String>, Spanned<Value>> =
            toml::from_str(text).map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                // The parser tells what it expected on a line of its own.
                let problem = format!("no TOML: {}", error.message().replace('\n', ", "));
                vec![fault(line(at), "", "", problem)]
            })?;
        let mut faults = Vec::new();
        for key in file.keys().filter(|key| key.as_ref() != name) {
            let problem = format!("unknown; the file holds [[{name}]] tables");
            faults.push(fault(line(key.span().start), key.as_ref(), "", problem));
        }
        #[derive(Deserialize)]
        struct File {
            #[serde(default, alias = "waiver", alias = "declaration")]
            tables: Vec<Spanned<Raw>>,
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let File { tables } = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let problem = format!("is no list of tables: write [[{name}]]");
            vec![fault(line(at), name, "", problem)]
        })?;
        let tables = tables.into_iter().map(|table| Table {
            line: line(table.span().start),
            keys: table
                .into_inner()
                .into_iter()
                .map(|(key, value)| {
                    let at = line(key.span().start);
                    (key.into_inner(), (at, value.into_inner()))
                })
                .collect(),
        });
        Ok(Self {
            name,
            tables: tables.collect(),
            faults,
        })
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
                    let problem = format!("unknown{}", nearest(key, keys.iter().copied()));
                    let key = format!("{}.{}", self.name, shorten(key));
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
    fn fault(&self, key: &str, problem: impl Into<String>) -> Fault {
        let (line, value) = match self.keys.get(key) {
            Some((line, value)) => (*line, shorten(&value.to_string())),
            None => (self.line, String::new()),
        };
        Fault {
            line,
            key: key.to_owned(),
            value,
            problem: problem.into(),
        }
    }

    /// A text that has to be there and says something.
    fn text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        let text = self.optional_text(key, faults);
        if !self.keys.contains_key(key) {
            faults.push(self.fault(key, "missing"));
        }
        text
    }

    fn optional_text(&self, key: &str, faults: &mut Vec<Fault>) -> Option<String> {
        match &self.keys.get(key)?.1 {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::String(_) => {
                faults.push(self.fault(key, "empty"));
                None
            }
            _ => {
                faults.push(self.fault(key, "no text"));
                None
            }
        }
    }

    /// A date that has to be there, as text or as TOML's own.
    fn date(&self, key: &str, faults: &mut Vec<Fault>) -> Option<Date> {
        let date = match self.keys.get(key) {
            None => {
                faults.push(self.fault(key, "missing"));
                return None;
            }
            Some((_, Value::String(text))) => text.parse().ok(),
            Some((_, Value::Datetime(date))) => date.to_string().parse().ok(),
            Some(_) => None,
        };
        if date.is_none() {
            faults.push(self.fault(key, "no date of the form 2027-01-31"));
        }
        date
    }

    /// A rule of the catalogue that has to be there.
    fn rule(&self, faults: &mut Vec<Fault>) -> Option<&'static Entry> {
        let name = self.text("rule", faults)?;
        let entries = catalogue::entries();
        let entry = entries.iter().find(|entry| entry.id == name);
        if entry.is_none() {
            let ids = entries.iter().map(|entry| &*entry.id);
            let problem = format!("no rule has this name{}", nearest(&name, ids));
            faults.push(self.fault("rule", problem));
        }
        entry
    }
}

/// `; did you mean X?`, where something is near.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let upper = name.to_ascii_uppercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&known.to_ascii_uppercase(), &upper);
    let near = known.map(|known| (distance(known), known)).min();
    match near {
        Some((distance, known)) if distance <= name.len().max(3) / 3 => {
            format!("; did you mean {known}?")
        }
        _ => String::new(),
    }
}
