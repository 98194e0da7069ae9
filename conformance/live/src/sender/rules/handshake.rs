//! NL-GL-HOOK-2 and NL-GL-HOOK-3: the handshake comes before the first delivery.

use cloudevents_nl_conformance::Shown;

use crate::sender::scenario::Scene;
use crate::shown::{by, nothing};

pub(super) fn before_deliveries(scene: &Scene<'_>) -> Shown {
    let asked = scene.handshakes.first();
    let is_first = asked.is_some_and(|asked| asked.deliveries == 0);
    let unasked = scene.deliveries.first().filter(|_| !is_first);
    if unasked.is_some() && !scene.options.asks_consent {
        return nothing(
            "the first delivery came without a handshake, which agreement by hand allows; --asks-consent says that there is one",
            "de eerste aflevering kwam zonder validatie, wat bij afspraken vooraf mag; --asks-consent zegt dat die er wel is",
        );
    }
    by(unasked.map(|delivery| delivery.evidence("POST, and no OPTIONS before")))
}

pub(super) fn at_all(scene: &Scene<'_>) -> Shown {
    match scene.handshakes.is_empty() {
        true => nothing(
            "no handshake came, and whether one was agreed is not seen here",
            "er kwam geen validatie, en of die is afgesproken is hier niet te zien",
        ),
        false => Shown::Met,
    }
}
