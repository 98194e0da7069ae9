//! Reads settings values into any serde type, and goes on after a fault.
//!
//! Serde stops at the first error. A [`Reading`] therefore reads in rounds: a value at fault is
//! reported and left out of the next round, a required key that is missing gets a stand-in, until a
//! round ends without a new fault. Values are read by the type that is asked for: a string setting
//! accepts a number, and the text of a variable becomes a number, a list or a truth value where
//! one is asked for.
//!
//! `#[serde(flatten)]` is not supported: it hides the names of the keys.

mod access;
mod reader;

use std::cell::RefCell;
use std::collections::BTreeSet;

use figment::value::{Dict, Num};
use serde::de::DeserializeOwned;

use super::fault::{Fault, FaultKind, list, nearest};
use super::path::Path;
use super::problem::Findings;
use reader::{Found, Reader};

/// Reads the table at `path` into `T`, reports all faults, and adds the keys that `T` knows to `known`.
pub(super) fn read<T: DeserializeOwned>(
    findings: &Findings<'_>,
    path: &Path,
    table: &Dict,
    known: &RefCell<BTreeSet<String>>,
) -> Option<T> {
    let reading = Reading {
        findings,
        table: path,
        known,
        at_fault: RefCell::default(),
        missing: RefCell::default(),
    };
    let mut is_clean = true;
    loop {
        let reader = Reader {
            reading: &reading,
            path: path.clone(),
            found: Found::Table(table),
        };
        match T::deserialize(reader) {
            Ok(value) => return is_clean.then_some(value),
            Err(fault) => {
                is_clean = false;
                if !reading.note(fault.or_at(path)) {
                    return None;
                }
            }
        }
    }
}

/// One table being read into one type, round after round.
struct Reading<'a> {
    findings: &'a Findings<'a>,
    table: &'a Path,
    known: &'a RefCell<BTreeSet<String>>,
    /// Values that were reported, and are left out.
    at_fault: RefCell<BTreeSet<Path>>,
    /// Required keys that were reported, and get a stand-in.
    missing: RefCell<BTreeSet<Path>>,
}

impl Reading<'_> {
    /// Reports a fault; says whether another round can find more.
    fn note(&self, fault: Fault) -> bool {
        let at = fault.at.unwrap_or_default();
        match fault.kind {
            FaultKind::Missing(key) => {
                if !self.at_fault.borrow().contains(&at) {
                    let table = self.findings.header(&at.parent().unwrap_or_default());
                    self.findings
                        .report(&at, "is missing", format!("add `{key} = …` {table}"));
                }
                self.missing.borrow_mut().insert(at)
            }
            FaultKind::Wrong { .. } | FaultKind::Misshapen(_)
                if self.missing.borrow().contains(&at) =>
            {
                false
            }
            FaultKind::Misshapen(what) => {
                self.findings.report_unshown(&at, what, "correct the value");
                self.at_fault.borrow_mut().insert(at)
            }
            FaultKind::Wrong { what, remedy } => {
                let remedy = remedy.unwrap_or_else(|| "correct the value".to_owned());
                self.findings.report(&at, what, remedy);
                self.at_fault.borrow_mut().insert(at)
            }
        }
    }

    fn note_known(&self, path: &Path, table: &Dict, fields: &'static [&'static str]) {
        if path == self.table {
            self.known
                .borrow_mut()
                .extend(fields.iter().map(|&field| field.to_owned()));
        } else {
            report_unknown(self.findings, path, table, fields.iter().copied());
        }
    }
}

/// Reports every key of `table` that is not among `known`, and nothing of what stands there.
pub(super) fn report_unknown<'k>(
    findings: &Findings<'_>,
    path: &Path,
    table: &Dict,
    known: impl Iterator<Item = &'k str> + Clone,
) {
    for key in table.keys() {
        if known.clone().all(|other| other != key) {
            let remedy = match nearest(key, known.clone()) {
                Some(other) => format!("did you mean {other:?}?"),
                None => format!("remove it; the keys here are {}", list(known.clone())),
            };
            findings.report_unshown(&path.key(key), "is not a key of this table", remedy);
        }
    }
}

/// A number as people write it.
pub(super) fn number_text(number: Num) -> String {
    match (number.to_u128(), number.to_i128(), number.to_f64()) {
        (Some(number), _, _) => number.to_string(),
        (_, Some(number), _) => number.to_string(),
        (_, _, Some(number)) => number.to_string(),
        _ => String::new(),
    }
}
