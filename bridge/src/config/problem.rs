//! What is wrong with the settings: all of it, in the order of the file.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use super::document::Document;
use super::inputs::Recorder;
use super::key_path::KeyPath;
use super::redact;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub origin: String,
    /// Such as `route[0].sink.url`; empty when the file as a whole is meant.
    pub key: String,
    /// Of the key.
    pub route: Option<String>,
    /// `***` for a secret; `None` when nobody can tell whether it is one.
    pub value: Option<String>,
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
pub struct Problems(Vec<Problem>);

impl Problems {
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.0.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
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
pub(crate) struct Fault {
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

pub(crate) struct Findings<'d> {
    document: &'d Document,
    found: RefCell<Vec<(usize, KeyPath, Problem)>>,
    pub(super) inputs: RefCell<Recorder>,
}

impl<'d> Findings<'d> {
    /// Problems without a place among the settings.
    pub(super) fn new(document: &'d Document, problems: impl Iterator<Item = Problem>) -> Self {
        let found = problems.map(|problem| (0, KeyPath::default(), problem));
        Self {
            document,
            found: RefCell::new(found.collect()),
            inputs: RefCell::default(),
        }
    }

    /// The same problem twice counts once.
    pub(super) fn report(&self, path: &KeyPath, fault: Fault) -> Reported {
        let value = self.document.value(path).filter(|_| fault.shows_value);
        let value = value.and_then(|value| redact::shown(path, value));
        let index = path.element_of("route");
        let problem = Problem {
            origin: self.document.origin(path),
            key: path.to_string(),
            route: index.and_then(|index| self.route_name(index)),
            value,
            what: fault.what.into_owned(),
            remedy: fault.remedy.into_owned(),
        };
        let mut found = self.found.borrow_mut();
        if found.iter().all(|(_, _, other)| *other != problem) {
            found.push((self.document.line(path), path.clone(), problem));
        }
        Reported
    }

    /// What was read, or all problems in the order of the file.
    pub(crate) fn conclude<T>(self, read: Result<T, Reported>) -> Result<T, Problems> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let problems: Vec<_> = found.into_iter().map(|(_, _, problem)| problem).collect();
        match (read, problems.is_empty()) {
            (Ok(read), true) => Ok(read),
            (_, false) => Err(Problems(problems)),
            (Err(Reported), true) => unreachable!("what cannot be read is reported"),
        }
    }

    fn route_name(&self, index: usize) -> Option<String> {
        let path = KeyPath::default().key("route").index(index).key("name");
        Some(self.document.value(&path)?.as_str()?.to_owned())
    }
}
