//! HOOK-RESP-7: 410, after which nothing comes any more.

use std::time::Duration;

use cloudevents_nl_conformance::Text;

use crate::sender::scenario::{Need, Reply, Scenario, Scene, Verdict};

const RULE: &str = "HOOK-RESP-7";

pub(super) const SCENARIO: Scenario = Scenario {
    name: "retires",
    rules: &[RULE],
    does: Text {
        en: "answers 410 for good, and sees whether deliveries stop; this may end the subscription",
        nl: "antwoordt voorgoed 410, en kijkt of de afleveringen ophouden; dit kan het abonnement beëindigen",
    },
    needs: Need::Retire,
    replies: &[Reply::Status(410)],
    then: Reply::Status(410),
    is_done: |scene| !scene.deliveries.is_empty(),
    aftermath: Duration::from_secs(10),
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let Some(first) = scene.deliveries.first() else {
        let en = "no delivery came to be answered 410";
        let nl = "er kwam geen aflevering om met 410 te beantwoorden";
        return vec![Verdict::nothing(RULE, en, nl)];
    };
    let evidence = scene.after(first).map(|later| {
        let after = (later.at - first.at).as_secs_f32();
        later.evidence(format!("410 → again after {after:.1} s"))
    });
    vec![Verdict::by(RULE, evidence.collect())]
}
