//! What differs, in a form that people and scripts read.

use std::fmt;

use super::{NotMet, Verdict};

/// One thing that a case expects and the codec does not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What was compared.
    pub what: String,
    /// What the case expects.
    pub expected: String,
    /// What the codec gave.
    pub got: String,
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
        }
    }
}

/// What became of the cases of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Cases that are not met.
    pub failed: Vec<(String, Vec<Difference>)>,
}

impl FileReport {
    pub(crate) fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            cases: Vec::new(),
            passed: 0,
            not_judged: 0,
            listed: Vec::new(),
            failed: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, case: &str, verdict: Verdict, not_met: &NotMet) {
        self.cases.push(case.to_owned());
        let reason = not_met.reason(&self.file, case);
        match (verdict, reason) {
            (Verdict::NotJudged, _) => self.not_judged += 1,
            (Verdict::Judged(differences), None) if differences.is_empty() => self.passed += 1,
            (Verdict::Judged(differences), Some(_)) if differences.is_empty() => {
                let stale = Difference::new("the list of cases not met", "not listed", "listed");
                self.failed.push((case.to_owned(), vec![stale]));
            }
            (Verdict::Judged(_), Some(reason)) => {
                self.listed.push((case.to_owned(), reason.to_owned()));
            }
            (Verdict::Judged(differences), None) => {
                self.failed.push((case.to_owned(), differences));
            }
        }
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
        self.stale.len()
            + self
                .files
                .iter()
                .map(|file| file.failed.len())
                .sum::<usize>()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            for (case, differences) in &file.failed {
                for Difference {
                    what,
                    expected,
                    got,
                } in differences
                {
                    writeln!(f, "{}, {case}: {what}", file.file)?;
                    writeln!(f, "    expected {expected}")?;
                    writeln!(f, "    got      {got}")?;
                }
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
