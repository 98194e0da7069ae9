//! The scenarios, in the order in which they are tried: a file for each thing that is tried out.
//!
//! A new scenario is an entry there; `tests/receiver/` plants the fault that it finds.

mod accepted;
mod data;
mod decoding;
mod handshake;
mod modes;
mod statuses;
mod tokens;

use cloudevents_nl_conformance::Text;

use super::scenario::{Judge, Scenario, Tries, accepted};

pub(super) use accepted::structured_of;
/// What one rule makes of others.
pub(super) use statuses::{REPEATED, RULE as REPEATS};

const FAMILIES: [&[Scenario]; 9] = [
    handshake::SCENARIOS,
    accepted::SCENARIOS,
    data::SCENARIOS,
    decoding::SCENARIOS,
    modes::SCENARIOS,
    // Wrong tokens may lock out who sends them.
    statuses::RETIRED,
    tokens::SCENARIOS,
    NOT_SEEN,
    // Its rate may leave the receiver without room for others.
    statuses::SCENARIOS,
];

/// What nothing that is sent can show of a receiver, each with the reason.
const NOT_SEEN: &[Scenario] = &[
    not(
        "HOOK-RESP-5",
        "only the receiver knows whether it had processed an event when it answered",
        "alleen de ontvanger weet of een gebeurtenis verwerkt was toen hij antwoordde",
    ),
    not(
        "HTTP-MODE-3",
        "it leaves everybody free, and webhooks take events with POST alone",
        "de regel laat iedereen vrij, en webhooks ontvangen gebeurtenissen alleen met POST",
    ),
    not(
        "HTTP-DETECT-3",
        "whether a message in an unknown format goes on unopened shows behind an intermediary",
        "of een bericht in een onbekend formaat ongeopend doorgaat, blijkt achter een tussenstation",
    ),
    not(
        "HTTP-BATCH-1",
        "it binds senders; whether this receiver asked for batches stands in an agreement",
        "de regel bindt verzenders; of deze ontvanger om batches vroeg, staat in een afspraak",
    ),
];

/// Those that send extensions.
pub(super) const WITH_EXTENSIONS: &[&str] =
    &["CE-TYPES-14", "NL-DATAREF-1", "JSON-TYPE-4", "HTTP-BIN-3"];

pub(crate) fn all() -> impl Iterator<Item = &'static Scenario> {
    FAMILIES.into_iter().flatten()
}

/// One for which nobody has to allow anything.
const fn scenario(
    rule: &'static str,
    en: &'static str,
    nl: &'static str,
    tries: Tries,
    judge: Judge,
) -> Scenario {
    Scenario {
        rule,
        does: Text { en, nl },
        allow: None,
        tries,
        judge,
    }
}

/// A rule that says what a receiver may not refuse.
pub(super) const fn accepts(
    rule: &'static str,
    en: &'static str,
    nl: &'static str,
    tries: Tries,
) -> Scenario {
    scenario(rule, en, nl, tries, accepted)
}

const fn not(rule: &'static str, en: &'static str, nl: &'static str) -> Scenario {
    accepts(rule, en, nl, Tries::Not(Text { en, nl }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::{Map, Value};

    use super::*;

    /// What is not read is not sent, and nobody would notice.
    #[test]
    fn members_are_json() {
        for scenario in all() {
            let Tries::Events(events) = scenario.tries else {
                continue;
            };
            for event in events {
                let members = event.split(' ').filter(|word| !word.starts_with('-'));
                let members = members.collect::<Vec<_>>().join(" ");
                let read = serde_json::from_str::<Map<String, Value>>(&format!("{{{members}}}"));
                read.unwrap();
            }
        }
    }
}
