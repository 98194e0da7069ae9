//! A rule as its file has it; the rest is the catalogue's.

use crate::catalogue::Entry;
use crate::rule::{Applies, Check, Decode, Example, Levels, Profile, Rule, Status, Text};

/// A [`Rule`] without its level, status and clause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    pub(crate) id: &'static str,
    pub(crate) en: Texts,
    pub(crate) nl: Texts,
    pub(crate) good: Example,
    pub(crate) bad: Example,
    pub(crate) decode: Decode,
    pub(crate) applies: Applies,
    pub(crate) check: Check,
}

/// What is said of a rule in one language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texts {
    pub(crate) title: &'static str,
    pub(crate) explanation: &'static str,
    pub(crate) why: &'static str,
    pub(crate) fix: &'static str,
}

impl Definition {
    /// The rule, `None` where the catalogue gives it a status that there is not.
    pub(super) fn rule(&self, entry: &'static Entry) -> Option<Rule> {
        use Status::{Draft, Guideline, Interpretation, Primer, Released};
        let mut statuses = [Released, Draft, Interpretation, Guideline, Primer].into_iter();
        let text = |of: fn(&Texts) -> &'static str| Text {
            en: of(&self.en),
            nl: of(&self.nl),
        };
        Some(Rule {
            id: self.id,
            level: Levels::each(Profile::ALL.map(|profile| entry.level(profile))),
            status: statuses.find(|status| status.word() == entry.status)?,
            clause: &entry.clause,
            title: text(|texts| texts.title),
            explanation: text(|texts| texts.explanation),
            why: text(|texts| texts.why),
            fix: text(|texts| texts.fix),
            good: self.good,
            bad: self.bad,
            decode: self.decode,
            applies: self.applies,
            check: self.check,
        })
    }
}
