//! What became of each rule over all that was checked, for the table of a report.

use super::{Checked, Finding, Kind, Severity, Verdict};
use crate::rule::{Check, Profile, Rule};

/// How often each rule was asked and broken over all that was checked, for the table of a report.
#[derive(Clone, Debug)]
pub struct Tally {
    profile: Profile,
    rows: Vec<Row>,
}

/// What became of one rule.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The rule.
    pub rule: &'static Rule,
    /// Messages, exchanges or streams that it is about.
    pub applied: u64,
    /// How often it was broken.
    pub broken: u64,
    /// How often a waiver explains it; these are not among the broken.
    pub explained: u64,
    /// The worst of what is broken.
    pub worst: Option<Severity>,
}

impl Tally {
    /// An empty one, for the rules of a profile.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        let rows = crate::rules::RULES.iter().map(|rule| Row {
            rule,
            applied: 0,
            broken: 0,
            explained: 0,
            worst: None,
        });
        Self {
            profile,
            rows: rows.collect(),
        }
    }

    /// Counts what was found, and the rules that are about it.
    pub fn add(&mut self, checked: &Checked) {
        self.apply(checked.kind);
        for finding in &checked.findings {
            self.find(finding, false);
        }
    }

    /// Counts the rules that are about what was checked.
    pub fn apply(&mut self, kind: Kind) {
        for row in &mut self.rows {
            row.applied += u64::from(row.rule.applies.to(kind));
        }
    }

    /// Counts one breach, which a waiver may explain.
    pub fn find(&mut self, finding: &Finding, is_explained: bool) {
        for row in &mut self.rows {
            let is_broken = match row.rule.check {
                Check::Umbrella(parts) => parts.contains(&finding.rule.id),
                _ => finding.rule.id == row.rule.id,
            };
            if !is_broken {
                continue;
            }
            if is_explained {
                row.explained += 1;
                continue;
            }
            row.broken += 1;
            let severity = Severity::of(row.rule, self.profile, finding.refuses);
            row.worst = row.worst.max(severity);
        }
    }

    /// One row per rule that the profile has, in the order of the registry.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, Verdict)> {
        let profile = self.profile;
        let rows = self
            .rows
            .iter()
            .filter(move |row| row.rule.level.of(profile).is_some());
        rows.map(|row| (row, row.verdict()))
    }
}

impl Row {
    fn verdict(&self) -> Verdict {
        match self.worst {
            Some(Severity::Error) => Verdict::Fail,
            Some(Severity::Warning) => Verdict::Warn,
            Some(Severity::Notice) => Verdict::Pass,
            None if self.explained > 0 => Verdict::Explained,
            None if self.applied == 0 => Verdict::NotApplicable,
            None => Verdict::Pass,
        }
    }
}
