//! What became of each rule over all that was checked, for the table of a report.

use std::collections::HashMap;

use super::{Broken, Checked, Kind, Part, Severity, Verdict};
use crate::catalogue::{self, Checkable};
use crate::rule::{Check, Profile, Rule};
use crate::rules;
use crate::written::Overlay;

/// How often each rule was asked and broken over all that was checked, for the table of a report.
#[derive(Clone, Debug)]
pub struct Tally {
    profile: Profile,
    rows: Vec<Row>,
    /// By the name of a rule: the rows that a breach of it counts in, its own and those that sum it up.
    places: HashMap<&'static str, Vec<usize>>,
}

/// What became of one rule.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The rule.
    pub rule: &'static Rule,
    /// Messages, exchanges or streams that it is about; none where no message can break it.
    pub applied: u64,
    /// How often it was broken.
    pub broken: u64,
    /// How often a waiver explains it; these are not among the broken.
    pub explained: u64,
    /// How often it was broken in a way that a baseline knows; these are not among the broken either.
    pub known: u64,
    /// The worst of what is broken.
    pub worst: Option<Severity>,
    /// The worst of it by the profile, where settings count it otherwise.
    pub usual: Option<Severity>,
    /// The same, whether or not settings count any of it otherwise.
    by_profile: Option<Severity>,
    is_weighed: bool,
    /// The side of an exchange that it binds.
    side: Part,
    /// Whether only a document shows that it is met: messages give notices, and never a verdict.
    is_declared: bool,
}

/// What becomes of a breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It counts.
    Open,
    /// A waiver explains it.
    Explained,
    /// A baseline knows it.
    Known,
}

impl Tally {
    /// An empty one, for the rules of a profile.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self::of(profile, &[], |_| true)
    }

    /// One for those rules of a profile, and of overlays, that are asked.
    pub(crate) fn of(
        profile: Profile,
        overlays: &[Overlay],
        is_asked: impl Fn(&str) -> bool,
    ) -> Self {
        let of_overlays = overlays.iter().flat_map(|overlay| &overlay.rules);
        let rules = rules::ALL.iter().chain(of_overlays.copied());
        let rules: Vec<_> = rules.filter(|rule| is_asked(rule.id)).collect();
        let mut places: HashMap<_, Vec<_>> = HashMap::new();
        for (place, rule) in rules.iter().enumerate() {
            let parts = match &rule.check {
                Check::Umbrella(parts, _) => parts,
                _ => std::slice::from_ref(&rule.id),
            };
            for part in parts {
                places.entry(*part).or_default().push(place);
            }
        }
        let rows = rules.iter().map(|rule| Row {
            rule,
            applied: 0,
            broken: 0,
            explained: 0,
            known: 0,
            worst: None,
            usual: None,
            by_profile: None,
            is_weighed: false,
            side: rules::side(rule.id),
            is_declared: catalogue::entry(rule.id)
                .is_some_and(|entry| entry.checkable == Checkable::Declared),
        });
        Self {
            profile,
            rows: rows.collect(),
            places,
        }
    }

    /// Counts what was found, and the rules that are about it.
    pub fn add(&mut self, checked: &Checked) {
        self.apply(checked.kind);
        for broken in &checked.broken {
            self.count(broken, Fate::Open);
        }
    }

    /// Counts the rules that are about what was checked, and that it can break.
    pub fn apply(&mut self, kind: Kind) {
        self.apply_to(kind, |_, _| true);
    }

    /// The same, of rules by name and the side of an exchange that they bind, where those may be judged.
    pub(crate) fn apply_to(&mut self, kind: Kind, judges: impl Fn(&str, Part) -> bool) {
        for row in &mut self.rows {
            let is_about = !row.rule.is_acceptance() && row.rule.applies.to(kind);
            row.applied += u64::from(is_about && judges(row.rule.id, row.side));
        }
    }

    /// Counts one rule that was tried out.
    pub(crate) fn apply_live(&mut self, rule: &Rule) {
        let mut rows = self.rows.iter_mut();
        if let Some(row) = rows.find(|row| row.rule.id == rule.id) {
            row.applied += 1;
        }
    }

    /// Counts breaches, which a waiver may explain.
    pub(crate) fn count(&mut self, broken: &Broken, fate: Fate) {
        let count = broken.count as u64;
        for place in self.places.get(broken.rule.id).into_iter().flatten() {
            let Some(row) = self.rows.get_mut(*place) else {
                continue;
            };
            if matches!(row.rule.check, Check::Umbrella(_, scope) if !scope.holds(broken.about)) {
                continue;
            }
            // A sum of rules counts by its own level, and no more than what breaks it.
            let of_sum = Severity::of(row.rule, self.profile, broken.refuses);
            let of_sum = of_sum.filter(|_| row.rule.id != broken.rule.id);
            let weigh = |own: Severity| of_sum.map_or(own, |of_sum| of_sum.min(own));
            let severity = weigh(broken.severity);
            let usual = weigh(broken.usual.unwrap_or(broken.severity));
            row.by_profile = row.by_profile.max(Some(usual));
            row.is_weighed |= severity != usual;
            row.usual = row.by_profile.filter(|_| row.is_weighed);
            match fate {
                Fate::Explained => row.explained += count,
                Fate::Known => row.known += count,
                Fate::Open => {
                    row.broken += count;
                    row.worst = row.worst.max(Some(severity));
                }
            }
        }
    }

    /// One row per rule of the profile that messages give a verdict on, in the order of the registry.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, Verdict)> {
        let is_told = |row: &&Row| {
            let is_shown = row.applied > 0 || !matches!(row.rule.check, Check::Live);
            is_shown && !row.is_declared && row.rule.level.of(self.profile).is_some()
        };
        let rows = self.rows.iter().filter(is_told);
        rows.map(|row| (row, row.verdict()))
    }

    /// Those of rules that the profile does not have, too: trying out tells what is broken of them.
    pub(super) fn of_any_profile(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }
}

impl Row {
    fn verdict(&self) -> Verdict {
        match self.worst {
            None if self.rule.is_acceptance() && self.applied == 0 => Verdict::NotShown,
            Some(Severity::Error) => Verdict::Fail,
            Some(Severity::Warning) => Verdict::Warn,
            Some(Severity::Notice) => Verdict::Pass,
            None if self.known > 0 => Verdict::Known,
            None if self.explained > 0 => Verdict::Explained,
            None if self.applied == 0 => Verdict::NotApplicable,
            None => Verdict::Pass,
        }
    }
}
