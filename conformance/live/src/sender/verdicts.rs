//! What is shown of each rule, from all that showed something of it.

use std::collections::BTreeMap;

use cloudevents_nl_conformance::{Live, Profile, Shown};

#[derive(Debug, Default)]
pub(super) struct Verdicts(BTreeMap<&'static str, Shown>);

impl Verdicts {
    /// A rule is broken if anything shows it, and met only if everything that was tried does.
    pub(super) fn add(&mut self, rules: &[&'static str], shown: &Shown) {
        for rule in rules.iter().copied() {
            match (self.0.get_mut(rule), shown.clone()) {
                (None, shown) => {
                    self.0.insert(rule, shown);
                }
                (Some(Shown::Broken(all)), Shown::Broken(more)) => all.extend(more),
                (Some(before), shown @ Shown::Broken(_)) => *before = shown,
                (Some(before @ Shown::Met), shown) => *before = shown,
                (Some(_), _) => {}
            }
        }
    }

    /// The same, of rules that nobody showed anything of.
    pub(super) fn fill(&mut self, rules: &[&'static str], shown: &Shown) {
        for rule in rules.iter().copied() {
            self.0.entry(rule).or_insert_with(|| shown.clone());
        }
    }

    /// Those of a profile, and whatever was broken: reports notice what their profile does not have.
    pub(super) fn of(self, profile: Profile) -> impl Iterator<Item = Live> {
        let all = self.0.into_iter();
        let all = all.filter_map(|(rule, shown)| Live::new(rule, shown));
        all.filter(move |live| {
            live.rule.level.of(profile).is_some() || matches!(live.shown, Shown::Broken(_))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::{evidence, nothing};

    fn check(all: [&Shown; 2], expected: &str) {
        let mut verdicts = Verdicts::default();
        for shown in all {
            verdicts.add(&["HOOK-RESP-10"], shown);
        }
        let lives = verdicts.of(Profile::NlGov11);
        let lines: Vec<_> = lives.map(|live| live.to_line()).collect();
        assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
    }

    #[test]
    fn what_was_not_shown_is_not_met() {
        let nothing = nothing("why", "waarom");
        check([&Shown::Met, &Shown::Met], "met");
        check([&Shown::Met, &nothing], "nothing");
        check([&nothing, &Shown::Met], "nothing");
    }

    #[test]
    fn what_is_broken_stays_so() {
        let broken = Shown::Broken(vec![evidence(1, "")]);
        check([&broken, &Shown::Met], "broken");
        check([&Shown::Met, &broken], "broken");
    }
}
