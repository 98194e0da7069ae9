//! What is wrong with the settings: all of it, in the order of the file.

use std::cell::RefCell;
use std::fmt;

use figment::value::Dict;

use super::origin::Origins;
use super::path::Path;
use super::redact;

/// One thing that is wrong, with all that is needed to put it right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The file and line, or the environment variable.
    pub origin: String,
    /// The key, such as `route[0].sink.url`; empty when the file as a whole is meant.
    pub key: String,
    /// The name of the route that the key belongs to.
    pub route: Option<String>,
    /// The value found, `***` when it is a secret; `None` when there is none, or when nobody can tell
    /// whether it is a secret: under a key that is not known, or in a shape that is not asked for.
    pub value: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
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

/// Every problem of one set of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// A problem with the file as a whole, which leaves nothing to look at further.
    pub(super) fn one(origin: String, what: String, remedy: &str) -> Self {
        Self(vec![Problem {
            origin,
            key: String::new(),
            route: None,
            value: None,
            what,
            remedy: remedy.to_owned(),
        }])
    }

    /// The problems in the order of the file.
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

/// Gathers problems while tables are read.
pub(crate) struct Findings<'d> {
    root: &'d Dict,
    origins: &'d Origins,
    found: RefCell<Vec<(usize, Path, Problem)>>,
}

impl<'d> Findings<'d> {
    pub(super) fn new(root: &'d Dict, origins: &'d Origins) -> Self {
        Self {
            root,
            origins,
            found: RefCell::default(),
        }
    }

    pub(super) fn origins(&self) -> &'d Origins {
        self.origins
    }

    /// Adds a problem with the value at `path`; the same problem twice counts once.
    pub(crate) fn report(&self, path: &Path, what: impl Into<String>, remedy: impl Into<String>) {
        let value = path.find(self.root);
        let value = value.and_then(|value| redact::shown(path, value));
        self.add(path, value, what.into(), remedy.into());
    }

    /// As [`Findings::report`], where the value may be anything, a secret under a misspelt key among it.
    pub(crate) fn report_unshown(
        &self,
        path: &Path,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(path, None, what.into(), remedy.into());
    }

    fn add(&self, path: &Path, value: Option<String>, what: String, remedy: String) {
        let problem = Problem {
            origin: self.origins.describe(path),
            key: path.to_string(),
            route: path
                .element_of("route")
                .and_then(|index| self.route_name(index)),
            value,
            what,
            remedy,
        };
        let mut found = self.found.borrow_mut();
        if found.iter().all(|(_, _, other)| *other != problem) {
            found.push((self.origins.line(path), path.clone(), problem));
        }
    }

    /// Adds a problem with a variable that is no setting. Its value may be anything and is not shown.
    pub(super) fn report_variable(&self, variable: &str, what: &str, remedy: &str) {
        let problem = Problem {
            origin: format!("environment variable {variable}"),
            key: String::new(),
            route: None,
            value: None,
            what: what.to_owned(),
            remedy: remedy.to_owned(),
        };
        self.found.borrow_mut().push((0, Path::default(), problem));
    }

    /// Where a key of the table at `path` is added: `to [route.sink]`.
    pub(super) fn header(&self, path: &Path) -> String {
        let keys: Vec<_> = path.keys().collect();
        match keys.as_slice() {
            [] => "above the first table".to_owned(),
            ["route"] => "to this [[route]]".to_owned(),
            keys => format!("to [{}]", keys.join(".")),
        }
    }

    /// All that was found, or `None`.
    pub(crate) fn into_problems(self) -> Option<Problems> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let problems: Vec<_> = found.into_iter().map(|(_, _, problem)| problem).collect();
        (!problems.is_empty()).then_some(Problems(problems))
    }

    fn route_name(&self, index: usize) -> Option<String> {
        let path = Path::default().key("route").index(index).key("name");
        Some(path.find(self.root)?.as_str()?.to_owned())
    }
}
