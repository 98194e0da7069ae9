//! CE-ID-5: a delivery that failed comes again as the event that it was.

use std::time::Duration;

use cloudevents_nl_conformance::{Evidence, Text};

use crate::sender::journal::Delivery;
use crate::sender::scenario::{Need, Reply, Scenario, Scene, Verdict};

const RULE: &str = "CE-ID-5";

pub(super) const SCENARIO: Scenario = Scenario {
    name: "fails",
    rules: &[RULE],
    does: Text {
        en: "answers 500 and 503, breaks off a connection without an answer, and then takes everything",
        nl: "antwoordt 500 en 503, verbreekt een verbinding zonder antwoord, en neemt daarna alles aan",
    },
    needs: Need::Nothing,
    replies: &[Reply::Status(500), Reply::Status(503), Reply::BreakOff],
    then: Reply::Status(204),
    is_done: |scene| scene.deliveries.len() > 3 && all_again(scene),
    aftermath: Duration::ZERO,
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let (changed, failed) = (changed(scene), failed(scene).count());
    let verdict = match (changed.is_empty(), failed > 0 && all_again(scene)) {
        (true, false) => Verdict::nothing(
            RULE,
            "not every event whose delivery failed was sent again in time",
            "niet elke gebeurtenis waarvan de aflevering mislukte, is op tijd opnieuw verzonden",
        ),
        _ => Verdict::by(RULE, changed),
    };
    vec![verdict]
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

/// Whether events are alike but for their id although nothing failed, as heartbeats are: then likeness shows nothing.
fn sends_the_same(scene: &Scene<'_>) -> bool {
    let taken = scene.deliveries.iter();
    let taken = taken.filter(|delivery| !delivery.may_come_again());
    let events: Vec<_> = taken.flat_map(|delivery| &delivery.events).collect();
    events.iter().enumerate().any(|(at, one)| {
        let mut others = events.iter().skip(at + 1);
        others.any(|other| one.rest == other.rest && one.name != other.name)
    })
}

/// Events that came anew, with everything but the id of one that failed and never came again.
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
                if was.rest == is.rest && was.name != is.name && before.all(|it| it.name != is.name)
                {
                    evidence.push(later.evidence(format!("id {} → {}", was.id, is.id)));
                }
            }
        }
    }
    evidence
}
