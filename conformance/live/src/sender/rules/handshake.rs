//! Consent: asked for before anything is delivered, awaited, and taken by callback.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};

use crate::sender::Allow;
use crate::sender::journal::Delivery;
use crate::sender::scenario::{Need, Scenario, Scene, UNAVAILABLE};
use crate::shown::{by, nothing};

const LOOKED_ON: Duration = Duration::from_secs(10);
/// In that time.
const VERY_LOW: usize = 1;

/// HOOK-ABUSE-2: what a sender does without consent.
pub(super) const REFUSES: Scenario = Scenario {
    name: "refuses",
    rules: &["HOOK-ABUSE-2"],
    does: Text {
        en: "answers OPTIONS for ten seconds without consent, or with consent to another, and sees what is delivered all the same",
        nl: "beantwoordt OPTIONS tien seconden lang zonder instemming, of met die voor een ander, en kijkt wat er toch wordt afgeleverd",
    },
    needs: Need::Allowed(Allow::Refuse),
    then: UNAVAILABLE,
    is_done: |scene| !scene.handshakes.is_empty(),
    aftermath: LOOKED_ON,
    judge: without_consent,
    ..Scenario::PLAIN
};

fn without_consent(scene: &Scene<'_>) -> Shown {
    let Some(asked) = scene.handshakes.first() else {
        return nothing(
            "the sender asked for no consent",
            "de afzender heeft niet om instemming gevraagd",
        );
    };
    let came = scene.deliveries.iter().filter(|it| it.at > asked.at);
    let too_many = came.skip(VERY_LOW);
    by(too_many.map(|delivery| {
        let mut before = scene.handshakes.iter().rev();
        let last = before.find(|asked| asked.at < delivery.at);
        let seen = match last.is_some_and(|last| last.is_to_another) {
            true => "consent to elsewhere.example → POST",
            false => "no consent → POST",
        };
        delivery.evidence(seen)
    }))
}

/// NL-GL-HOOK-2: the handshake comes before the first delivery.
pub(super) fn before_deliveries(scene: &Scene<'_>) -> Shown {
    let asked = scene.handshakes.first();
    let is_unasked = |first: &&Delivery| asked.is_none_or(|asked| asked.at > first.at);
    let unasked = scene.deliveries.first().filter(is_unasked);
    if unasked.is_some() && !scene.options.asks_consent {
        return nothing(
            "the first delivery came without a handshake, which agreement by hand allows; --asks-consent says that there is one",
            "de eerste aflevering kwam zonder validatie, wat bij afspraken vooraf mag; --asks-consent zegt dat die er wel is",
        );
    }
    by(unasked.map(|delivery| delivery.evidence("POST, and no OPTIONS before")))
}

/// NL-GL-HOOK-3: likewise.
pub(super) fn at_all(scene: &Scene<'_>) -> Shown {
    match scene.handshakes.is_empty() {
        true => nothing(
            "no handshake came, and whether one was agreed is not seen here",
            "er kwam geen validatie, en of die is afgesproken is hier niet te zien",
        ),
        false => Shown::Met,
    }
}

/// HOOK-CB-1: the callback takes GET and POST. Whoever offers one is called by both.
pub(super) fn callback(scene: &Scene<'_>) -> Shown {
    let mut handshakes = scene.handshakes.iter();
    let Some(called) = handshakes.find(|asked| !asked.callbacks.is_empty()) else {
        return nothing(
            "the sender offered no callback",
            "de afzender bood geen callback aan",
        );
    };
    let callbacks = called.callbacks.iter();
    let refused = callbacks.filter(|(_, status)| !matches!(status, Some(200..=299)));
    by(refused.map(|(method, status)| {
        let status = status.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        called.evidence(format!("callback by {method} → {status}"))
    }))
}
