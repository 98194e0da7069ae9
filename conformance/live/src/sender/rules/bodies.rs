//! HOOK-RESP-12: errors with a body of any shape.

use std::time::Duration;

use cloudevents_nl_conformance::Text;

use super::fails::came_again;
use crate::sender::scenario::{Need, Reply, Scenario, Scene, Verdict};

const RULE: &str = "HOOK-RESP-12";

pub(super) const SCENARIO: Scenario = Scenario {
    name: "error-bodies",
    rules: &[RULE],
    does: Text {
        en: "answers 500 with nothing, text, JSON, broken JSON, and 256 KiB of HTML, and then takes everything",
        nl: "antwoordt 500 met niets, tekst, JSON, kapotte JSON en 256 KiB HTML, en neemt daarna alles aan",
    },
    needs: Need::Nothing,
    replies: &[
        Reply::Status(500),
        Reply::Body(500, "text/plain", "it failed", 1),
        Reply::Body(
            500,
            "application/problem+json",
            r#"{"title":"it failed"}"#,
            1,
        ),
        Reply::Body(500, "application/json", r#"{"retry":false,"#, 1),
        Reply::Body(500, "text/html", "<p>It failed.<p>", 16 << 10),
    ],
    then: Reply::Status(204),
    is_done: |scene| {
        let mut failed = scene.answered(500);
        scene.answered(500).count() == 5 && failed.all(|failed| came_again(scene, failed))
    },
    aftermath: Duration::ZERO,
    judge,
};

/// The sender does the same each time: it sends again, or it does not.
fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let failed: Vec<_> = scene.answered(500).collect();
    let again = |place: usize| {
        failed
            .get(place)
            .is_some_and(|failed| came_again(scene, failed))
    };
    let last = (0..failed.len()).rev().find(|place| again(*place));
    if failed.len() < 5 {
        let en = "fewer than five deliveries came, one for each body";
        let nl = "er kwamen minder dan vijf afleveringen, één voor elke body";
        return vec![Verdict::nothing(RULE, en, nl)];
    }
    let before = failed.iter().enumerate().take(last.unwrap_or_default());
    let given_up = before.filter(|(place, _)| !again(*place));
    let evidence =
        given_up.map(|(_, failed)| failed.evidence("500 with this body → not sent again"));
    vec![Verdict::by(RULE, evidence.collect())]
}
