//! A structured event with a header beside it that says something else: nobody relies on it.

use cloudevents_nl_conformance::Shown;

use super::text;
use crate::receiver::scenario::{Scenario, Tries, Try};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "NL-GL-HTTP-3",
    does: text(
        "compares the answers to a structured event without `ce-` headers and with one that differs",
        "vergelijkt de antwoorden op een gestructureerde gebeurtenis zonder `ce-`-headers en met een die afwijkt",
    ),
    allow: None,
    tries: Tries::Made(|known| {
        known.needs_structured()?;
        let event = || known.target.structured("");
        Ok(vec![
            Try::new("no ce-id", event()),
            Try::new("ce-id: other", event().with("ce-id", "other")),
        ])
    }),
    judge: |_, seen| match seen {
        [without, with] if without.is_accepted() != with.is_accepted() => {
            Shown::Broken(vec![without.evidence(), with.evidence()])
        }
        _ => Shown::Met,
    },
}];
