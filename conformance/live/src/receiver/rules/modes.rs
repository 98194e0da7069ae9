//! Which modes are read. The plain events of the beginning show it.

use cloudevents_nl_conformance::Shown;

use super::text;
use crate::receiver::scenario::{Scenario, Seen, Tries, why};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "HTTP-MODE-1",
        does: text(
            "Looks whether a plain event was taken in structured and in binary mode.",
            "Kijkt of een gewone gebeurtenis in gestructureerde en in binaire modus is aangenomen.",
        ),
        allow: None,
        tries: Tries::Made(|_| Ok(Vec::new())),
        judge: |known, _| match (&known.structured, &known.binary) {
            (Some(one), Some(other)) => either(one, other),
            _ => neither(),
        },
    },
    Scenario {
        rule: "HTTP-MODE-2",
        does: text(
            "Looks whether a receiver that takes batches takes a single event in JSON too.",
            "Kijkt of een ontvanger die batches aanneemt, ook een enkele gebeurtenis in JSON aanneemt.",
        ),
        allow: None,
        tries: Tries::Made(|_| Ok(Vec::new())),
        judge: |known, _| match (&known.structured, &known.batch) {
            (Some(plain), _) if plain.is_accepted() => Shown::Met,
            (Some(plain), Some(batch)) => either(plain, batch),
            _ => neither(),
        },
    },
];

/// Broken where one is refused as long as another is not: else nothing of it says anything of modes.
fn either(one: &Seen, other: &Seen) -> Shown {
    match (one.is_accepted(), other.is_accepted()) {
        (true, true) => Shown::Met,
        (true, false) => Shown::Broken(vec![other.evidence()]),
        (false, true) => Shown::Broken(vec![one.evidence()]),
        (false, false) => neither(),
    }
}

fn neither() -> Shown {
    Shown::Nothing(why(
        "plain events were refused in these modes",
        "gewone gebeurtenissen zijn in deze modi geweigerd",
    ))
}
