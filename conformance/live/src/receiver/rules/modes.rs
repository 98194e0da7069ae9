//! Which modes are read. The plain events of the beginning show it.

use cloudevents_nl_conformance::Shown;

use super::scenario;
use crate::receiver::scenario::{Scenario, Seen, Tries};
use crate::shown::nothing;

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HTTP-MODE-1",
        "Looks whether a plain event was taken in structured and in binary mode.",
        "Kijkt of een gewone gebeurtenis in gestructureerde en in binaire modus is aangenomen.",
        Tries::Made(|_| Ok(Vec::new())),
        |known, _| match (&known.structured, &known.binary) {
            (Some(one), Some(other)) => either(one, other),
            _ => neither(),
        },
    ),
    scenario(
        "HTTP-MODE-2",
        "Looks whether a receiver that takes batches takes a single event in JSON too.",
        "Kijkt of een ontvanger die batches aanneemt, ook een enkele gebeurtenis in JSON aanneemt.",
        Tries::Made(|_| Ok(Vec::new())),
        |known, _| match (&known.structured, &known.batch) {
            (Some(plain), _) if plain.is_accepted() => Shown::Met,
            (Some(plain), Some(batch)) => either(plain, batch),
            _ => neither(),
        },
    ),
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
    nothing(
        "plain events were refused in these modes",
        "gewone gebeurtenissen zijn in deze modi geweigerd",
    )
}
