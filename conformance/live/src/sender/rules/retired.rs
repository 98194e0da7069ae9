//! HOOK-RESP-7: 410, after which nothing comes any more.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};

use crate::sender::scenario::{Need, Reply, Scenario, Scene};
use crate::shown::{by, nothing};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "retires",
    rules: &["HOOK-RESP-7"],
    does: Text {
        en: "answers 410 for good, and sees whether deliveries stop; this may end the subscription",
        nl: "antwoordt voorgoed 410, en kijkt of de afleveringen ophouden; dit kan het abonnement beëindigen",
    },
    needs: Need::Retire,
    // Without it the command would not be run again at once.
    replies: &[Reply::Status(410)],
    then: Reply::Status(410),
    is_done: |scene| scene.answered(410).next().is_some(),
    // Beside patience: who retries may do so late.
    aftermath: Duration::from_secs(5),
    judge,
    ..Scenario::PLAIN
};

fn judge(scene: &Scene<'_>) -> Shown {
    let Some(first) = scene.answered(410).next() else {
        return nothing(
            "no delivery came to be answered 410",
            "er kwam geen aflevering om met 410 te beantwoorden",
        );
    };
    // Another address is another target.
    let later = scene.after(first).filter(|later| later.path == first.path);
    by(later.map(|later| {
        let after = (later.at - first.at).as_secs_f32();
        later.evidence(format!("410 → again after {after:.1} s"))
    }))
}
