//! HOOK-RESP-10: `Retry-After`, in seconds and as a date.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};

use crate::sender::journal::Delivery;
use crate::sender::scenario::{Reply, Scenario, Scene};
use crate::shown::{by, nothing};

/// Clocks differ, and a date has no fractions.
const CLOCKS: Duration = Duration::from_secs(1);

pub(super) const SECONDS: Scenario = Scenario {
    name: "retry-after-seconds",
    does: Text {
        en: "answers 429 with Retry-After: 3",
        nl: "antwoordt 429 met Retry-After: 3",
    },
    replies: &[Reply::Seconds(429, 3)],
    judge: |scene| judge(scene, Duration::ZERO),
    ..DATE
};

pub(super) const DATE: Scenario = Scenario {
    name: "retry-after-date",
    rules: &["HOOK-RESP-10"],
    does: Text {
        en: "answers 429 with Retry-After as a date five seconds from now",
        nl: "antwoordt 429 met Retry-After als datum, over vijf seconden",
    },
    replies: &[Reply::Date(429, 5)],
    is_done: |scene| {
        let mut waits = scene.deliveries.iter();
        let Some(first) = waits.find(|delivery| delivery.until.is_some()) else {
            return false;
        };
        let mut later = scene.after(first);
        later.any(|later| Some(later.at) >= first.until || later.repeats(first))
    },
    // What is triggered meanwhile has to wait too.
    quiet: |_| Duration::from_secs(1),
    judge: |scene| judge(scene, CLOCKS),
    ..Scenario::PLAIN
};

pub(super) const UNAVAILABLE: Scenario = Scenario {
    name: "retry-after-unavailable",
    does: Text {
        en: "answers 503 with Retry-After: 3",
        nl: "antwoordt 503 met Retry-After: 3",
    },
    replies: &[Reply::Seconds(503, 3)],
    judge: |scene| judge(scene, Duration::ZERO),
    ..DATE
};

fn judge(scene: &Scene<'_>, tolerance: Duration) -> Shown {
    let mut deliveries = scene.deliveries.iter();
    let told = deliveries.find_map(|told| told.until.zip(Some(told)));
    let Some((until, told)) = told else {
        return nothing(
            "no delivery came to be answered with Retry-After",
            "er kwam geen aflevering om met Retry-After te beantwoorden",
        );
    };
    let is_early = |later: &&Delivery| later.at + tolerance < until;
    let early = scene.after(told).filter(is_early);
    let evidence: Vec<_> = early
        .map(|early| {
            let (status, wait) = (told.status.unwrap_or_default(), until - told.at);
            let (wait, after) = (wait.as_secs_f32(), (early.at - told.at).as_secs_f32());
            early.evidence(format!(
                "{status}, Retry-After in {wait:.1} s → again after {after:.1} s"
            ))
        })
        .collect();
    if evidence.is_empty() && scene.deliveries.iter().all(|later| is_early(&later)) {
        return nothing(
            "nothing came after the moment that Retry-After named",
            "er kwam niets na het moment dat Retry-After noemde",
        );
    }
    by(evidence)
}
