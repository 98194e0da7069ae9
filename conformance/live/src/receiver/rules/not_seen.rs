//! What nothing that is sent can show of a receiver, each with the reason.

use cloudevents_nl_conformance::{Text, Why};

use super::text;
use crate::receiver::scenario::{Scenario, Try, judge_nothing, why};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "HOOK-RESP-5",
        does: NOTHING,
        allow: None,
        tries: |_| {
            not(
                "only the receiver knows whether it had processed an event when it answered",
                "alleen de ontvanger weet of een gebeurtenis verwerkt was toen hij antwoordde",
            )
        },
        judge: judge_nothing,
    },
    Scenario {
        rule: "HTTP-MODE-3",
        does: NOTHING,
        allow: None,
        tries: |_| {
            not(
                "it leaves everybody free, and webhooks take events with POST alone",
                "de regel laat iedereen vrij, en webhooks ontvangen gebeurtenissen alleen met POST",
            )
        },
        judge: judge_nothing,
    },
    Scenario {
        rule: "HTTP-DETECT-3",
        does: NOTHING,
        allow: None,
        tries: |_| {
            not(
                "whether a message in an unknown format goes on unopened shows behind an intermediary",
                "of een bericht in een onbekend formaat ongeopend doorgaat, blijkt achter een tussenstation",
            )
        },
        judge: judge_nothing,
    },
    Scenario {
        rule: "HTTP-BATCH-1",
        does: NOTHING,
        allow: None,
        tries: |_| {
            not(
                "it binds senders; whether this receiver asked for batches stands in an agreement",
                "de regel bindt verzenders; of deze ontvanger om batches vroeg, staat in een afspraak",
            )
        },
        judge: judge_nothing,
    },
];

const NOTHING: Text = text(
    "Sends nothing: no answer shows it.",
    "Stuurt niets: geen antwoord laat het zien.",
);

fn not(en: &str, nl: &str) -> Result<Vec<Try>, Why> {
    Err(why(en, nl))
}
