//! What is shown of each rule, from all that showed something of it.

use std::collections::BTreeMap;

use cloudevents_nl_conformance::{Live, Profile, Shown, Text};

use super::scenario::Verdict;

/// By rule.
#[derive(Debug, Default)]
pub(super) struct Verdicts(BTreeMap<&'static str, Shown>);

impl Verdicts {
    /// A rule is broken if anything shows it, and met only if everything that was tried does.
    pub(super) fn add(&mut self, verdict: Verdict) {
        let Verdict { rule, shown } = verdict;
        match (self.0.get_mut(rule), shown) {
            (None, shown) => {
                self.0.insert(rule, shown);
            }
            (Some(Shown::Broken(all)), Shown::Broken(more)) => all.extend(more),
            (Some(before), shown @ Shown::Broken(_)) => *before = shown,
            (Some(before @ Shown::Met), shown) => *before = shown,
            (Some(_), _) => {}
        }
    }

    /// Nothing, of the rules that nobody showed anything of.
    pub(super) fn fill(&mut self, rules: &[&'static str], why: Text) {
        for rule in rules {
            let Verdict { rule, shown } = Verdict::nothing(rule, why.en, why.nl);
            self.0.entry(rule).or_insert(shown);
        }
    }

    /// Those of a profile.
    pub(super) fn of(self, profile: Profile) -> impl Iterator<Item = Live> {
        let all = self.0.into_iter();
        let all = all.filter_map(|(rule, shown)| Live::new(rule, shown));
        all.filter(move |live| live.rule.level.of(profile).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verdicts: [Verdict; 2], expected: &str) {
        let mut all = Verdicts::default();
        verdicts.into_iter().for_each(|verdict| all.add(verdict));
        let lines: Vec<_> = all
            .of(Profile::NlGov11)
            .map(|live| live.to_line())
            .collect();
        assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
    }

    #[test]
    fn what_was_not_shown_is_not_met() {
        let (rule, met) = ("HOOK-RESP-10", Verdict::met);
        check([met(rule), met(rule)], "met");
        check(
            [met(rule), Verdict::nothing(rule, "why", "waarom")],
            "nothing",
        );
        check(
            [Verdict::nothing(rule, "why", "waarom"), met(rule)],
            "nothing",
        );
    }

    #[test]
    fn what_is_broken_stays_so() {
        let seen = cloudevents_nl_conformance::Evidence {
            line: 1,
            in_response: false,
            seen: String::new(),
        };
        let (rule, broken) = ("HOOK-RESP-10", |rule| Verdict::by(rule, vec![seen.clone()]));
        check([broken(rule), Verdict::met(rule)], "broken");
        check([Verdict::met(rule), broken(rule)], "broken");
    }
}
