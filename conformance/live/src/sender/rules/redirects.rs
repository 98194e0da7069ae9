//! HOOK-RESP-2: redirects, which nobody is to follow.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};

use crate::sender::scenario::{ELSEWHERE, Reply, Scenario, Scene};
use crate::shown::{by, nothing};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "redirects",
    rules: &["HOOK-RESP-2"],
    does: Text {
        en: "answers 301, 302, 303, 307 and 308 with another address of ours, which is never to be asked for",
        nl: "antwoordt 301, 302, 303, 307 en 308 met een ander adres van ons, dat nooit opgevraagd mag worden",
    },
    replies: &[
        Reply::Redirect(301),
        Reply::Redirect(302),
        Reply::Redirect(303),
        Reply::Redirect(307),
        Reply::Redirect(308),
    ],
    is_done: |scene| redirected(scene) == 5,
    aftermath: Duration::from_secs(2),
    ..Scenario::PLAIN
};

fn redirected(scene: &Scene<'_>) -> usize {
    let deliveries = scene.deliveries.iter();
    let redirected = deliveries.filter(|it| matches!(it.status, Some(300..=399)));
    redirected.count()
}

/// With all that came: a redirect may be followed as late as the next try.
pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    if redirected(scene) == 0 {
        return nothing(
            "no delivery came to be redirected",
            "er kwam geen aflevering om door te verwijzen",
        );
    }
    let followed = scene.deliveries.iter().filter(|it| it.is_elsewhere);
    by(followed.map(|followed| {
        let token = if followed.has_token {
            ", with its token"
        } else {
            ""
        };
        followed.evidence(format!("3xx → ?{ELSEWHERE}{token}"))
    }))
}
