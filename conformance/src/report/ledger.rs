//! Where breaches go while a message is checked: each is counted, and the first of each rule are
//! described. A sender decides how many there are, so nothing is kept of the others.

use std::fmt;

use super::{Checked, Finding, Part, Severity};
use crate::capture::Protocol;
use crate::rule::{About, Profile, Rule};

/// How many findings of each rule are listed where nobody says otherwise.
pub const MOST_PER_RULE: usize = 100;

/// What is known of a breach before its place is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Breach<'a> {
    pub(crate) rule: &'static Rule,
    pub(crate) profile: Profile,
    pub(crate) severity: Severity,
    pub(crate) refuses: bool,
    pub(crate) part: Part,
    pub(crate) protocol: Protocol,
    pub(crate) element: Option<usize>,
    pub(crate) about: About,
    pub(crate) body: &'a [u8],
}

/// Takes breaches.
pub(crate) trait Ledger: fmt::Debug {
    /// Counts a breach. It is described only if it will be listed.
    fn enter(&mut self, breach: &Breach<'_>, describe: &dyn Fn() -> Finding);
}

/// How often a rule is broken in one way.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Broken {
    /// The rule.
    pub rule: &'static Rule,
    /// How much each breach counts.
    pub severity: Severity,
    /// How much it counts by the profile, where settings say otherwise.
    pub usual: Option<Severity>,
    /// Whether the codec hands out no event because of each.
    pub refuses: bool,
    /// What part of an event they are about.
    pub about: About,
    /// How many there are.
    pub count: usize,
}

impl Broken {
    /// One breach.
    pub(crate) fn one(breach: &Breach<'_>) -> Self {
        Self {
            rule: breach.rule,
            severity: breach.severity,
            usual: None,
            refuses: breach.refuses,
            about: breach.about,
            count: 1,
        }
    }

    fn is_of(&self, breach: &Breach<'_>) -> bool {
        self.rule.id == breach.rule.id
            && self.severity == breach.severity
            && self.refuses == breach.refuses
            && self.about == breach.about
    }
}

impl Ledger for Checked {
    fn enter(&mut self, breach: &Breach<'_>, describe: &dyn Fn() -> Finding) {
        if self.count_of(breach.rule.id) < MOST_PER_RULE {
            self.findings.push(describe());
        }
        match self.broken.iter_mut().find(|broken| broken.is_of(breach)) {
            Some(broken) => broken.count += 1,
            None => self.broken.push(Broken::one(breach)),
        }
    }
}
