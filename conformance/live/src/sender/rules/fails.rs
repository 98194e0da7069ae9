//! CE-ID-5: a delivery that failed comes again as the event that it was.

use cloudevents_nl_conformance::{Evidence, Shown, Text};

use crate::sender::journal::{Delivery, Event};
use crate::sender::scenario::{Reply, Scenario, Scene};
use crate::shown::{by, nothing};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "fails",
    rules: &["CE-ID-5"],
    does: Text {
        en: "answers 500 and 503, breaks off a connection without an answer, and then takes everything",
        nl: "antwoordt 500 en 503, verbreekt een verbinding zonder antwoord, en neemt daarna alles aan",
    },
    replies: &[Reply::Status(500), Reply::Status(503), Reply::BreakOff],
    is_done: |scene| scene.deliveries.len() > 3 && all_again(scene),
    judge,
    ..Scenario::PLAIN
};

fn judge(scene: &Scene<'_>) -> Shown {
    let (changed, failed) = (changed(scene), failed(scene).count());
    match (changed.is_empty(), failed > 0 && all_again(scene)) {
        (true, false) => nothing(
            "not every event whose delivery failed was sent again in time",
            "niet elke gebeurtenis waarvan de aflevering mislukte, is op tijd opnieuw verzonden",
        ),
        _ => by(changed),
    }
}

fn failed<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = &'s Delivery> {
    let deliveries = scene.deliveries.iter();
    deliveries.filter(|delivery| delivery.may_come_again() && !delivery.is_elsewhere)
}

/// Whether each one that failed came again.
fn all_again(scene: &Scene<'_>) -> bool {
    failed(scene).all(|failed| came_again(scene, failed))
}

pub(super) fn came_again(scene: &Scene<'_>, failed: &Delivery) -> bool {
    let mut later = scene.deliveries.iter().filter(|later| later.at > failed.at);
    later.any(|later| later.repeats(failed))
}

/// Whether events are alike but for their id or source although nothing failed, as heartbeats are: then
/// likeness shows nothing.
fn sends_the_same(scene: &Scene<'_>) -> bool {
    let taken = scene.deliveries.iter();
    let taken = taken.filter(|delivery| !delivery.may_come_again());
    let events: Vec<_> = taken.flat_map(|delivery| &delivery.events).collect();
    events.iter().enumerate().any(|(at, one)| {
        let mut others = events.iter().skip(at + 1);
        others.any(|other| one.rest == other.rest && one.name != other.name)
    })
}

/// Events that came anew, with everything but the id, or but the source, of one that failed and
/// never came again.
fn changed(scene: &Scene<'_>) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    if sends_the_same(scene) {
        return evidence;
    }
    for failed in failed(scene).filter(|failed| !came_again(scene, failed)) {
        for later in scene.deliveries.iter().filter(|later| later.at > failed.at) {
            for (was, is) in failed.events.iter().zip(&later.events) {
                let before = scene
                    .deliveries
                    .iter()
                    .filter(|before| before.at < later.at);
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
