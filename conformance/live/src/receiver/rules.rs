//! The scenarios, in the order in which they are tried: a file for each thing that is tried out.
//!
//! A new scenario is a file here and its name in [`all`]; `tests/receiver/` plants the fault that it finds.

mod accepted;
mod accepted_handshake;
mod batch;
mod callback;
mod challenge;
mod copies;
mod data_read;
mod decoding;
mod handshake;
mod modes;
mod not_seen;
mod rate;
mod retired;
mod size;
mod statuses;
mod tokens;
mod unknown_extensions;
mod unknown_format;

use cloudevents_nl_conformance::Text;

use super::scenario::{Judge, Scenario, Tries, accepted};

/// What one rule makes of others.
pub(super) use size::structured_of;
pub(super) use statuses::{REPEATED, RULE as REPEATS};

const FAMILIES: &[&[Scenario]] = &[
    handshake::SCENARIOS,
    accepted_handshake::SCENARIOS,
    modes::SCENARIOS,
    unknown_extensions::SCENARIOS,
    accepted::SCENARIOS,
    decoding::SCENARIOS,
    size::SCENARIOS,
    data_read::SCENARIOS,
    batch::SCENARIOS,
    copies::SCENARIOS,
    unknown_format::SCENARIOS,
    tokens::SCENARIOS,
    challenge::SCENARIOS,
    retired::SCENARIOS,
    callback::SCENARIOS,
    not_seen::SCENARIOS,
    // It may leave the receiver without room for others.
    rate::SCENARIOS,
    // Of what was shown before.
    statuses::SCENARIOS,
];

/// Rules that bind receivers, and that the checker judges by every exchange that is recorded.
pub(crate) const FROM_EXCHANGES: &[&str] = &["HOOK-RESP-1"];

/// Those that send extensions.
pub(super) const WITH_EXTENSIONS: &[&str] =
    &["CE-TYPES-14", "NL-DATAREF-1", "JSON-TYPE-4", "HTTP-BIN-3"];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Scenario> {
    FAMILIES.iter().copied().flatten()
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
const fn accepts(rule: &'static str, en: &'static str, nl: &'static str, tries: Tries) -> Scenario {
    scenario(rule, en, nl, tries, accepted)
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
