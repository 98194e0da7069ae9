//! What is accepted, and what fails, and comes again.

use std::collections::HashMap;
use std::time::Duration;

use cloudevents_nl_conformance::{Evidence, Shown, Text};

use crate::listener::Answer;
use crate::sender::journal::{Delivery, Event};
use crate::sender::scenario::{FAILED, Need, Reply, Scenario, Scene, TAKEN, UNAVAILABLE};
use crate::shown::{by, nothing};

/// Each way to accept a delivery. No rule is about them.
pub(super) const ACCEPTS: Scenario = Scenario {
    name: "accepts",
    does: Text {
        en: "takes four deliveries with 200 and a body, 201, 202 and 204",
        nl: "neemt vier afleveringen aan met 200 en een body, 201, 202 en 204",
    },
    needs: Need::Always,
    replies: &[
        |_| Answer::status(200).with_body("text/plain", "thank you"),
        |_| Answer::status(201),
        |_| Answer::status(202),
        TAKEN,
    ],
    is_done: |scene| scene.deliveries.len() >= 4,
    ..Scenario::PLAIN
};

/// CE-ID-5: a delivery that failed comes again as the event that it was. Whether it came as another one is
/// judged with all that came.
pub(super) const FAILS: Scenario = Scenario {
    name: "fails",
    rules: &["CE-ID-5"],
    does: Text {
        en: "answers 500 and 503, breaks off a connection without an answer, and then takes everything",
        nl: "antwoordt 500 en 503, verbreekt een verbinding zonder antwoord, en neemt daarna alles aan",
    },
    replies: &[FAILED, UNAVAILABLE, |_| Answer::BreakOff],
    is_done: |scene| scene.deliveries.len() > 3 && all_again(scene),
    judge: |scene| match failed(scene).next().is_some() && all_again(scene) {
        true => Shown::Met,
        false => nothing(
            "not every event whose delivery failed was sent again in time",
            "niet elke gebeurtenis waarvan de aflevering mislukte, is op tijd opnieuw verzonden",
        ),
    },
    ..Scenario::PLAIN
};

pub(super) fn as_it_was(scene: &Scene<'_>) -> Shown {
    if scene.answered(500).next().is_none() {
        return nothing(
            "no delivery came to be answered 500",
            "er kwam geen aflevering om met 500 te beantwoorden",
        );
    }
    by(changed(scene))
}

fn failed<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = &'s Delivery> {
    let deliveries = scene.deliveries.iter();
    deliveries.filter(|delivery| delivery.may_come_again() && !delivery.is_elsewhere)
}

/// Whether each one that failed came again.
fn all_again(scene: &Scene<'_>) -> bool {
    failed(scene).all(|failed| came_again(scene, failed))
}

fn came_again(scene: &Scene<'_>, failed: &Delivery) -> bool {
    let mut later = scene.deliveries.iter().filter(|later| later.at > failed.at);
    later.any(|later| later.repeats(failed))
}

/// Whether events are alike but for their id or source although nothing failed, as heartbeats are: then
/// likeness shows nothing.
fn sends_the_same(scene: &Scene<'_>) -> bool {
    let taken = scene.deliveries.iter();
    let taken = taken.filter(|delivery| matches!(delivery.status, Some(200..=299)));
    let mut events = taken.flat_map(|delivery| &delivery.events);
    let mut names = HashMap::new();
    events.any(|event| *names.entry(event.rest).or_insert(event.name) != event.name)
}

/// Events that came anew, with everything but the id, or but the source, of one that failed and
/// never came again. Much later it may have happened again.
fn changed(scene: &Scene<'_>) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    if sends_the_same(scene) {
        return evidence;
    }
    for failed in failed(scene).filter(|failed| !came_again(scene, failed)) {
        let until = failed.at + scene.options.patience();
        let later = scene.deliveries.iter();
        for later in later.filter(|later| later.at > failed.at && later.at < until) {
            for (was, is) in failed.events.iter().zip(&later.events) {
                let before = scene.deliveries.iter().filter(|it| it.at < later.at);
                let mut before = before.flat_map(|before| &before.events);
                if is_made_anew(was, is) && before.all(|it| it.name != is.name) {
                    let seen = match was.source == is.source {
                        true => format!("id {} → {}", was.id, is.id),
                        false => format!("id {}: source → another", was.id),
                    };
                    evidence.push(later.evidence(seen));
                }
            }
        }
    }
    evidence
}

/// With both anew it may be the like event of another source.
fn is_made_anew(was: &Event, is: &Event) -> bool {
    let keeps_one = was.id == is.id || was.source == is.source;
    was.rest == is.rest && was.name != is.name && keeps_one
}

/// HOOK-RESP-12: errors with a body of any shape.
pub(super) const BODIES: Scenario = Scenario {
    name: "error-bodies",
    rules: &["HOOK-RESP-12"],
    does: Text {
        en: "answers 500 with nothing, text, JSON, broken JSON, 256 KiB of HTML, and nothing again, and takes all between",
        nl: "antwoordt 500 met niets, tekst, JSON, kapotte JSON, 256 KiB HTML en weer niets, en neemt aan wat ertussen komt",
    },
    replies: &[
        // Each is followed by a success: who delivers one by one needs two tries of an event, and no more.
        FAILED,
        TAKEN,
        |_| Answer::status(500).with_body("text/plain", "it failed"),
        TAKEN,
        |_| Answer::status(500).with_body("application/problem+json", r#"{"title":"it failed"}"#),
        TAKEN,
        |_| Answer::status(500).with_body("application/json", r#"{"retry":false,"#),
        TAKEN,
        |_| Answer::status(500).with_body("text/html", "<p>It failed.<p>".repeat(16 << 10)),
        TAKEN,
        // Giving up the last one shows nothing, so that the HTML is not the last.
        FAILED,
    ],
    is_done: |scene| {
        let mut failed = scene.answered(500);
        scene.answered(500).count() == 6 && failed.all(|failed| came_again(scene, failed))
    },
    judge: whatever_the_body,
    ..Scenario::PLAIN
};

/// The sender does the same each time: it sends again, or it does not. Who gives up a repeat may have done
/// so for the number of tries, so that shows nothing.
fn whatever_the_body(scene: &Scene<'_>) -> Shown {
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

/// Answers that come late, or not at all, show order, and how long a sender waits. No rule is about them.
pub(super) const SLOW: Scenario = Scenario {
    name: "slow",
    does: Text {
        en: "takes two deliveries two seconds late",
        nl: "neemt twee afleveringen twee seconden te laat aan",
    },
    replies: &[LATE, LATE],
    is_done: |scene| scene.deliveries.len() > 2,
    ..Scenario::PLAIN
};

const LATE: Reply = |_| Answer::status(204).after(Duration::from_secs(2));

pub(super) const HANGS: Scenario = Scenario {
    name: "hangs",
    does: Text {
        en: "gives one delivery no answer, until the sender gives up and sends it again",
        nl: "geeft één aflevering geen antwoord, tot de afzender het opgeeft en opnieuw verzendt",
    },
    replies: &[|_| Answer::Hang],
    is_done: |scene| {
        let mut hung = scene.deliveries.iter().filter(|it| it.status.is_none());
        hung.any(|hung| came_again(scene, hung))
    },
    ..Scenario::PLAIN
};
