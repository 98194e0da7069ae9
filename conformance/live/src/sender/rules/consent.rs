//! HOOK-ABUSE-2: what a sender does without consent.

use std::time::Duration;

use cloudevents_nl_conformance::Text;

use crate::sender::scenario::{Need, Reply, Scenario, Scene, Verdict};

const RULE: &str = "HOOK-ABUSE-2";
const LOOKED_ON: Duration = Duration::from_secs(10);
/// In that time.
const VERY_LOW: usize = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "refuses",
    rules: &[RULE],
    does: Text {
        en: "answers OPTIONS without consent for ten seconds, and sees what is delivered all the same",
        nl: "beantwoordt OPTIONS tien seconden lang zonder instemming, en kijkt wat er toch wordt afgeleverd",
    },
    needs: Need::Refuse,
    replies: &[],
    then: Reply::Status(503),
    is_done: |scene| !scene.handshakes.is_empty(),
    aftermath: LOOKED_ON,
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let Some(asked) = scene.handshakes.first() else {
        let en = "the sender asked for no consent";
        let nl = "de afzender heeft niet om instemming gevraagd";
        return vec![Verdict::nothing(RULE, en, nl)];
    };
    let came = scene
        .deliveries
        .iter()
        .filter(|delivery| delivery.at > asked.at);
    let too_many = came.skip(VERY_LOW);
    let evidence = too_many.map(|delivery| delivery.evidence("no consent → POST"));
    vec![Verdict::by(RULE, evidence.collect())]
}
