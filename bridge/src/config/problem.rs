//! What is wrong with the settings: all of it, in the order of the file.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::document::Document;
use super::inputs::Inputs;
use super::key_path::KeyPath;
use super::redact;
use super::references::written;
use super::setting::SettingValue;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub origin: String,
    /// Such as `route[0].sink.url`; empty when the file as a whole is meant.
    pub key: String,
    pub route: Option<String>,
    /// `***` for a secret; `None` when nobody can tell whether it is one.
    pub value: Option<String>,
    #[serde(rename = "detail")]
    pub what: String,
    pub remedy: String,
}

impl Problem {
    /// With the file as a whole, or with a variable that is no setting.
    pub(super) fn of_all(origin: String, what: &str, remedy: &str) -> Self {
        Self {
            origin,
            key: String::new(),
            route: None,
            value: None,
            what: what.to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.origin)?;
        if !self.key.is_empty() {
            f.write_str(&self.key)?;
            if let Some(route) = &self.route {
                write!(f, " (route {route:?})")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.what)?;
        if let Some(value) = &self.value {
            write!(f, "\n    value:  {value}")?;
        }
        write!(f, "\n    remedy: {}", self.remedy)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub(super) Vec<Problem>);

impl Problems {
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.0.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.0 {
            writeln!(f, "{problem}")?;
        }
        match self.0.len() {
            1 => f.write_str("1 problem; nothing was started"),
            count => write!(f, "{count} problems; nothing was started"),
        }
    }
}

impl std::error::Error for Problems {}

#[derive(Debug)]
pub struct Fault {
    pub(crate) what: Cow<'static, str>,
    pub(crate) remedy: Cow<'static, str>,
    /// Unless its key tells that it is a secret.
    pub(crate) shows_value: bool,
}

impl Fault {
    pub(crate) fn new(
        what: impl Into<Cow<'static, str>>,
        remedy: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            what: what.into(),
            remedy: remedy.into(),
            shows_value: true,
        }
    }

    pub(crate) fn unless(fits: bool, what: &'static str, remedy: &'static str) -> Result<(), Self> {
        fits.then_some(()).ok_or_else(|| Self::new(what, remedy))
    }

    /// Where nobody can tell whether the value is a secret.
    pub(crate) fn unshown(self) -> Self {
        Self {
            shows_value: false,
            ..self
        }
    }
}

/// Something is wrong and was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported;

/// What reading found: problems, warnings, and the value of every key that was read.
pub(crate) struct Findings<'d> {
    pub(super) document: &'d Document,
    found: RefCell<Vec<Finding>>,
    effective: RefCell<BTreeMap<KeyPath, String>>,
    /// Tables `[KIND.NAME]` that something names.
    pub(super) used: RefCell<BTreeSet<(&'static str, String)>>,
    pub(super) inputs: RefCell<Inputs>,
}

struct Finding {
    line: usize,
    path: KeyPath,
    problem: Problem,
    is_warning: bool,
}

impl<'d> Findings<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        // Without a place among the settings.
        let refused = document.refused.iter().cloned();
        let found = refused.map(|problem| Finding {
            line: 0,
            path: KeyPath::default(),
            problem,
            is_warning: false,
        });
        Self {
            document,
            found: RefCell::new(found.collect()),
            effective: RefCell::default(),
            used: RefCell::default(),
            inputs: RefCell::default(),
        }
    }

    /// The same twice counts once.
    pub(super) fn report(&self, path: KeyPath, fault: Fault, is_warning: bool) {
        let (line, origin, value) = self.document.find(&path);
        let value = value.filter(|_| fault.shows_value);
        let references = &self.document.references;
        let problem = Problem {
            origin,
            key: path.to_string(),
            route: path.route().and_then(|index| self.route_name(index)),
            value: value.and_then(|value| redact::shown(&path, value)),
            what: references.as_written(fault.what),
            remedy: references.as_written(fault.remedy),
        };
        let mut found = self.found.borrow_mut();
        if found.iter().all(|other| other.problem != problem) {
            found.push(Finding {
                line,
                path,
                problem,
                is_warning,
            });
        }
    }

    /// The value of a key that was read, or its default.
    pub(super) fn in_effect(&self, found: &SettingValue<'_>, is_default: bool) {
        self.inputs.borrow_mut().value(found);
        let mut effective = self.effective.borrow_mut();
        let mark = if is_default { "  # default" } else { "" };
        redact::write(&found.path, found.value, &mut |path, shown| {
            effective.insert(path.clone(), format!("{path} = {shown}{mark}"));
        });
    }

    /// One `key = value` for each key, secrets as `***`.
    pub(crate) fn effective(&self) -> Vec<String> {
        self.effective.borrow().values().cloned().collect()
    }

    /// What was read with warnings, or all problems; both in the order of the file.
    pub(crate) fn conclude<T>(
        self,
        read: Result<T, Reported>,
    ) -> Result<(T, Vec<Problem>), Problems> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| (a.line, &a.path).cmp(&(b.line, &b.path)));
        let (warnings, problems): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|it| it.is_warning);
        let only = |found: Vec<Finding>| found.into_iter().map(|it| it.problem).collect();
        match (read, problems.is_empty()) {
            (Ok(read), true) => Ok((read, only(warnings))),
            (_, false) => Err(Problems(only(problems))),
            (Err(Reported), true) => unreachable!("what cannot be read is reported"),
        }
    }

    fn route_name(&self, index: usize) -> Option<String> {
        let path = KeyPath::default().key("route").index(index).key("name");
        let (.., name) = self.document.find(&path);
        Some(written(name?)?.into_owned())
    }
}
