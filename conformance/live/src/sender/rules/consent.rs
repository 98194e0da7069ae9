//! HOOK-ABUSE-2: what a sender does without consent.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};

use crate::sender::scenario::{Need, Reply, Scenario, Scene};
use crate::shown::{by, nothing};

const LOOKED_ON: Duration = Duration::from_secs(10);
/// In that time.
const VERY_LOW: usize = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "refuses",
    rules: &["HOOK-ABUSE-2"],
    does: Text {
        en: "answers OPTIONS for ten seconds without consent, or with consent to another, and sees what is delivered all the same",
        nl: "beantwoordt OPTIONS tien seconden lang zonder instemming, of met die voor een ander, en kijkt wat er toch wordt afgeleverd",
    },
    needs: Need::Refuse,
    then: Reply::Status(503),
    is_done: |scene| !scene.handshakes.is_empty(),
    aftermath: LOOKED_ON,
    judge,
    ..Scenario::PLAIN
};

fn judge(scene: &Scene<'_>) -> Shown {
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
