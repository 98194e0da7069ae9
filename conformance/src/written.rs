//! What people write beside the messages: settings, waivers and declarations, as TOML.
//!
//! A file is read whole and every fault in it is told at once, with line, key and value. This module
//! knows tables of texts and dates; what they mean is told in its two parts.

mod baseline;
mod config;
mod declarations;
mod overlay;
mod table;
mod waivers;

use std::fmt;

use crate::catalogue;
use crate::language::Language;

pub use baseline::{Baseline, Known};
pub use config::{Config, FORMS, ForPath};
pub use declarations::{Declaration, Declarations};
pub use overlay::Overlay;
use table::{Table, document};
pub(crate) use waivers::matches;
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
    fn new(line: usize, key: impl Into<String>, problem: Wrong) -> Self {
        let (key, value) = (key.into(), String::new());
        Self {
            line,
            key,
            value,
            problem,
        }
    }

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

/// What was made of a file, or all that is wrong with it, in the order of the lines.
fn finish<T>(made: T, mut faults: Vec<Fault>) -> Result<T, Vec<Fault>> {
    if faults.is_empty() {
        return Ok(made);
    }
    faults.sort_by_key(|fault| fault.line);
    Err(faults)
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

/// Whether the name of a rule, or a pattern of names, is one of the catalogue by its beginning.
pub(crate) fn is_of_catalogue(name: &str) -> bool {
    let family = |id: &str| id.split('-').next().map(str::to_owned);
    let mut ids = catalogue::entries().iter();
    ids.any(|entry| family(&entry.id) == family(name))
}

/// The name that was perhaps meant, where one is near.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let upper = name.to_ascii_uppercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&known.to_ascii_uppercase(), &upper);
    let (distance, near) = known.map(|known| (distance(known), known)).min()?;
    (distance <= name.len().max(3) / 3).then_some(near)
}
