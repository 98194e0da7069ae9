//! HOOK-RESP-12: errors with a body of any shape.

use cloudevents_nl_conformance::{Shown, Text};

use super::fails::came_again;
use crate::sender::journal::Delivery;
use crate::sender::scenario::{Reply, Scenario, Scene};
use crate::shown::{by, nothing};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "error-bodies",
    rules: &["HOOK-RESP-12"],
    does: Text {
        en: "answers 500 with nothing, text, JSON, broken JSON, 256 KiB of HTML, and nothing again, and takes all between",
        nl: "antwoordt 500 met niets, tekst, JSON, kapotte JSON, 256 KiB HTML en weer niets, en neemt aan wat ertussen komt",
    },
    replies: &[
        // Each is followed by a success: who delivers one by one needs two tries of an event, and no more.
        Reply::Status(500),
        Reply::Status(204),
        Reply::Body(500, "text/plain", "it failed", 1),
        Reply::Status(204),
        Reply::Body(
            500,
            "application/problem+json",
            r#"{"title":"it failed"}"#,
            1,
        ),
        Reply::Status(204),
        Reply::Body(500, "application/json", r#"{"retry":false,"#, 1),
        Reply::Status(204),
        Reply::Body(500, "text/html", "<p>It failed.<p>", 16 << 10),
        Reply::Status(204),
        // Giving up the last one shows nothing, so that the HTML is not the last.
        Reply::Status(500),
    ],
    is_done: |scene| {
        let mut failed = scene.answered(500);
        scene.answered(500).count() == 6 && failed.all(|failed| came_again(scene, failed))
    },
    judge,
    ..Scenario::PLAIN
};

/// The sender does the same each time: it sends again, or it does not. Who gives up a repeat may have done
/// so for the number of tries, so that shows nothing.
fn judge(scene: &Scene<'_>) -> Shown {
    let failed: Vec<_> = scene
        .answered(500)
        .filter(|failed| came_again(scene, failed) || is_first(scene, failed))
        .collect();
    if failed.len() < 6 {
        return nothing(
            "fewer than six deliveries, one for each answer of 500, showed what the sender does; giving up a repeat does not",
            "minder dan zes afleveringen, één voor elk antwoord met 500, lieten zien wat de afzender doet; een herhaling opgeven doet dat niet",
        );
    }
    let last = failed.iter().rposition(|failed| came_again(scene, failed));
    let before = failed.iter().take(last.unwrap_or_default());
    let given_up = before.filter(|failed| !came_again(scene, failed));
    by(given_up.map(|failed| failed.evidence("500 with this body → not sent again")))
}

fn is_first(scene: &Scene<'_>, failed: &Delivery) -> bool {
    let mut deliveries = scene.deliveries.iter();
    !deliveries.any(|before| before.at < failed.at && before.repeats(failed))
}
