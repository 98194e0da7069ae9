//! HOOK-RESP-2: redirects, which nobody is to follow.

use std::time::Duration;

use cloudevents_nl_conformance::Text;

use crate::sender::scenario::{ELSEWHERE, Need, Reply, Scenario, Scene, Verdict};

const RULE: &str = "HOOK-RESP-2";

pub(super) const SCENARIO: Scenario = Scenario {
    name: "redirects",
    rules: &[RULE],
    does: Text {
        en: "answers 301, 302, 307 and 308 with another path of ours, which is never to be asked for",
        nl: "antwoordt 301, 302, 307 en 308 met een ander pad van ons, dat nooit opgevraagd mag worden",
    },
    needs: Need::Nothing,
    replies: &[
        Reply::Redirect(301),
        Reply::Redirect(302),
        Reply::Redirect(307),
        Reply::Redirect(308),
    ],
    then: Reply::Status(204),
    is_done: |scene| redirected(scene) == 4,
    aftermath: Duration::from_secs(2),
    judge,
};

fn redirected(scene: &Scene<'_>) -> usize {
    let statuses = scene
        .deliveries
        .iter()
        .filter_map(|delivery| delivery.status);
    statuses
        .filter(|status| (300..400).contains(status))
        .count()
}

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    if redirected(scene) == 0 {
        let en = "no delivery came to be redirected";
        let nl = "er kwam geen aflevering om door te verwijzen";
        return vec![Verdict::nothing(RULE, en, nl)];
    }
    let followed = scene
        .deliveries
        .iter()
        .filter(|delivery| delivery.is_elsewhere);
    let evidence = followed.map(|followed| {
        let token = if followed.has_token {
            ", with its token"
        } else {
            ""
        };
        followed.evidence(format!("3xx → {ELSEWHERE}{token}"))
    });
    vec![Verdict::by(RULE, evidence.collect())]
}
