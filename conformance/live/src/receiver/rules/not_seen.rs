//! What nothing that is sent can show of a receiver, each with the reason.

use cloudevents_nl_conformance::Text;

use super::scenario;
use crate::receiver::scenario::{Scenario, Tries, judge_nothing};

pub(super) const SCENARIOS: &[Scenario] = &[
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

const fn not(rule: &'static str, en: &'static str, nl: &'static str) -> Scenario {
    scenario(rule, en, nl, Tries::Not(Text { en, nl }), judge_nothing)
}
