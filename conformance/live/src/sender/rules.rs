//! What is played, in order, and what is made of all of it: a file for each thing that rules are about.

mod handshake;
mod messages;
mod rate;
mod repeats;
mod statuses;
mod tls;

use super::scenario::{Judge, Scenario};
use crate::shown::nothing;

/// Those that may end a subscription come last.
pub(super) const SCENARIOS: &[&Scenario] = &[
    &handshake::REFUSES,
    &repeats::ACCEPTS,
    &rate::SCENARIO,
    &repeats::FAILS,
    &repeats::BODIES,
    &repeats::SLOW,
    &repeats::HANGS,
    &statuses::SECONDS,
    &statuses::DATE,
    &statuses::UNAVAILABLE,
    &statuses::REDIRECTS,
    &tls::SCENARIO,
    &statuses::RETIRES,
];

pub(super) const WHOLE: &[(&[&str], Judge)] = &[
    (tls::RULES, tls::plain),
    (&["NL-GL-HOOK-2"], handshake::before_deliveries),
    (&["NL-GL-HOOK-3"], handshake::at_all),
    (&["HOOK-RESP-2"], statuses::followed),
    (&["CE-ID-5"], repeats::as_it_was),
    (&["HOOK-CB-1"], handshake::callback),
    (&["HOOK-RATE-1"], rate::judge),
    (&["HTTP-BATCH-1", "JSON-BATCH-3"], messages::batches),
    (&["HTTP-ENC-6"], messages::control),
    (&["EXT-TRACE-2"], messages::trace),
    (&["CE-FMT-1"], messages::format),
    (&["JSON-DATA-5"], messages::data),
    // What a receiver cannot see.
    (&["CE-TYPES-2"], |_| {
        nothing(
            "which types an attribute has in the program of the sender does not show in what it sends",
            "welke typen een attribuut in de software van de afzender heeft, blijkt niet uit wat die verstuurt",
        )
    }),
    (&["EXT-DATAREF-2"], |_| {
        nothing(
            "what is behind `dataref` is not fetched: it may take rights that a receiver under test has not",
            "wat achter `dataref` staat wordt niet opgehaald: daar kunnen rechten voor nodig zijn die hier ontbreken",
        )
    }),
    (&["EXT-DATAREF-3"], |_| {
        nothing(
            "how long the data stays available takes longer to see than a run lasts",
            "hoe lang de data beschikbaar blijft, duurt langer dan deze proef",
        )
    }),
];

/// The rules that are tried out, once each.
pub(super) fn all() -> Vec<&'static str> {
    let scenarios = SCENARIOS.iter().flat_map(|scenario| scenario.rules);
    let whole = WHOLE.iter().flat_map(|(rules, _)| *rules);
    let mut rules: Vec<_> = scenarios.chain(whole).copied().collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cloudevents_nl_conformance::catalogue::{self, Checkable};

    use super::*;

    #[test]
    fn no_live_rule_of_senders_is_missing() {
        let entries = catalogue::entries().iter();
        let live = entries.filter(|entry| entry.checkable == Checkable::Live);
        let of_senders =
            live.filter(|entry| matches!(&*entry.applies_to, "webhook-sender" | "producer"));
        let mut expected: BTreeSet<&str> = of_senders.map(|entry| &*entry.id).collect();
        // Of HTTP: batches and control characters; of JSON: data; of the core: repeats.
        expected.extend(["HTTP-BATCH-1", "HTTP-ENC-6", "JSON-DATA-5", "CE-ID-5"]);
        assert_eq!(all().into_iter().collect::<BTreeSet<_>>(), expected);
    }

    #[test]
    fn every_name_is_one_of_a_scenario() {
        let names: BTreeSet<_> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
        assert_eq!(names.len(), SCENARIOS.len());
    }
}
