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
        en: "answers OPTIONS without consent for ten seconds, and sees what is delivered all the same",
        nl: "beantwoordt OPTIONS tien seconden lang zonder instemming, en kijkt wat er toch wordt afgeleverd",
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
    by(too_many.map(|delivery| delivery.evidence("no consent → POST")))
}
