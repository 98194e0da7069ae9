//! HOOK-RESP-12: errors with a body of any shape.

use cloudevents_nl_conformance::{Shown, Text};

use super::fails::came_again;
use crate::sender::scenario::{Reply, Scenario, Scene};
use crate::shown::{by, nothing};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "error-bodies",
    rules: &["HOOK-RESP-12"],
    does: Text {
        en: "answers 500 with nothing, text, JSON, broken JSON, and 256 KiB of HTML, and then takes everything",
        nl: "antwoordt 500 met niets, tekst, JSON, kapotte JSON en 256 KiB HTML, en neemt daarna alles aan",
    },
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
    is_done: |scene| {
        let mut failed = scene.answered(500);
        scene.answered(500).count() == 5 && failed.all(|failed| came_again(scene, failed))
    },
    judge,
    ..Scenario::PLAIN
};

/// The sender does the same each time: it sends again, or it does not.
fn judge(scene: &Scene<'_>) -> Shown {
    let failed: Vec<_> = scene.answered(500).collect();
    if failed.len() < 5 {
        return nothing(
            "fewer than five deliveries came, one for each body",
            "er kwamen minder dan vijf afleveringen, één voor elke body",
        );
    }
    let last = failed.iter().rposition(|failed| came_again(scene, failed));
    let before = failed.iter().take(last.unwrap_or_default());
    let given_up = before.filter(|failed| !came_again(scene, failed));
    by(given_up.map(|failed| failed.evidence("500 with this body → not sent again")))
}
