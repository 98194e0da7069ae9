//! What differs, in a form that people and scripts read.

use std::fmt;

use super::file::Named;
use super::{NotMet, Verdict};
use crate::rule::Profile;

/// One thing that a case expects and the codec does not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What was compared.
    pub what: String,
    /// What the case expects.
    pub expected: String,
    /// What the codec gave.
    pub got: String,
    /// Of what kind the difference is.
    pub fault: Fault,
    /// The rules that a message breaks which the codec wrote.
    pub broken: Vec<&'static str>,
}

/// What kind of wrong a difference is, from the point of view of who uses the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// It panics.
    Panics,
    /// It hands out an event, without complaint, where there is no valid one.
    Accepts,
    /// It hands out no event where there is a valid one, or writes none that it has read.
    Refuses,
    /// Data comes out as another value, or is lost.
    Data,
    /// JSON data comes out as other text of the same value.
    Rewrites,
    /// An attribute is dropped, added, or comes out with another value or type.
    Attributes,
    /// A timestamp comes out as other text of the same moment.
    Respells,
    /// It takes a message to be in another content mode.
    Mode,
    /// What it writes is not what the specification prescribes.
    Writes,
    /// It says that it has no such thing, which is not wrong.
    NotSupported,
    /// Something else, such as the judgement of rules.
    Other,
}

impl Difference {
    pub(crate) fn new(
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            expected: expected.into(),
            got: got.into(),
            fault: Fault::Other,
            broken: Vec::new(),
        }
    }

    pub(crate) fn of(self, fault: Fault) -> Self {
        Self { fault, ..self }
    }

    pub(crate) fn breaking(self, broken: Vec<&'static str>) -> Self {
        Self { broken, ..self }
    }
}

/// A case that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// Its name.
    pub case: String,
    /// The rules of CloudEvents that the message of the case breaks, as the case names them.
    pub rules: Vec<String>,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// What became of the cases of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileReport {
    /// The file's name.
    pub file: String,
    /// Names of all cases, in order.
    pub cases: Vec<String>,
    /// Cases that were met.
    pub passed: usize,
    /// Cases that only rules can decide.
    pub not_judged: usize,
    /// Cases that are not met and listed so, with the reason.
    pub listed: Vec<(String, String)>,
    /// Cases, or parts of them, of which the codec says that it has no such thing.
    pub not_supported: Vec<(String, String)>,
    /// Cases that are not met.
    pub failed: Vec<Unmet>,
}

impl FileReport {
    pub(crate) fn add(&mut self, case: &Named, verdict: Verdict, not_met: &NotMet) {
        let name = || case.name.clone();
        self.cases.push(name());
        let mut differences = match verdict {
            Verdict::NotJudged => {
                self.not_judged += 1;
                return;
            }
            Verdict::NotSupported(what) => {
                self.not_supported.push((name(), what));
                return;
            }
            Verdict::Judged(differences) => differences,
        };
        let not_supported =
            differences.extract_if(.., |difference| difference.fault == Fault::NotSupported);
        self.not_supported
            .extend(not_supported.map(|part| (name(), part.got)));
        match not_met.reason(&self.file, &case.name) {
            Some(reason) if !differences.is_empty() => {
                self.listed.push((name(), reason.to_owned()));
                return;
            }
            Some(_) => {
                let stale = Difference::new("the list of cases not met", "not listed", "listed");
                differences.push(stale);
            }
            None if differences.is_empty() => {
                self.passed += 1;
                return;
            }
            None => {}
        }
        let rules = case.rules.of(Profile::CloudEvents10.name());
        self.failed.push(Unmet {
            case: name(),
            rules: rules.unwrap_or_default().to_vec(),
            differences,
        });
    }
}

/// What became of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One per file, in the order of names.
    pub files: Vec<FileReport>,
    /// Entries of the list of cases not met that name no case.
    pub stale: Vec<String>,
}

impl Report {
    /// Cases that were met.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.files.iter().map(|file| file.passed).sum()
    }

    /// Cases that were not met and are not listed, and listed cases that should not be.
    #[must_use]
    pub fn failed(&self) -> usize {
        let failed: usize = self.files.iter().map(|file| file.failed.len()).sum();
        self.stale.len() + failed
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            for unmet in &file.failed {
                for difference in &unmet.differences {
                    writeln!(f, "{}, {}: {}", file.file, unmet.case, difference.what)?;
                    writeln!(f, "    expected {}", difference.expected)?;
                    writeln!(f, "    got      {}", difference.got)?;
                }
            }
            for (case, what) in &file.not_supported {
                writeln!(f, "{}, {case}: not supported: {what}", file.file)?;
            }
            for (case, reason) in &file.listed {
                writeln!(f, "{}, {case}: not met: {reason}", file.file)?;
            }
            if file.not_judged != 0 {
                writeln!(f, "{}: {} not judged", file.file, file.not_judged)?;
            }
        }
        for entry in &self.stale {
            writeln!(f, "listed as not met, but there is no such case: {entry}")?;
        }
        write!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}
