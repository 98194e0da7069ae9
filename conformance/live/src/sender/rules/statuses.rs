//! Statuses that ask something of a sender: to go elsewhere, to stop, or to wait.

use std::time::{Duration, SystemTime};

use cloudevents_nl_conformance::{Shown, Text};

use crate::listener::{Answer, Received};
use crate::sender::Allow;
use crate::sender::journal::Delivery;
use crate::sender::scenario::{ELSEWHERE, Need, Reply, Scenario, Scene};
use crate::shown::{by, nothing};

/// HOOK-RESP-2: redirects, which nobody is to follow.
pub(super) const REDIRECTS: Scenario = Scenario {
    name: "redirects",
    rules: &["HOOK-RESP-2"],
    does: Text {
        en: "answers 301, 302, 303, 307 and 308 with another address of ours, which is never to be asked for",
        nl: "antwoordt 301, 302, 303, 307 en 308 met een ander adres van ons, dat nooit opgevraagd mag worden",
    },
    replies: &[
        |it| redirect(it, 301),
        |it| redirect(it, 302),
        |it| redirect(it, 303),
        |it| redirect(it, 307),
        |it| redirect(it, 308),
    ],
    is_done: |scene| redirected(scene) == 5,
    aftermath: Duration::from_secs(2),
    ..Scenario::PLAIN
};

fn redirect(received: &Received, status: u16) -> Answer {
    let address = received.url.split('?').next().unwrap_or_default();
    Answer::status(status).with("location", format!("{address}?{ELSEWHERE}"))
}

fn redirected(scene: &Scene<'_>) -> usize {
    let statuses = scene.deliveries.iter().map(|delivery| delivery.status);
    statuses.filter(|it| matches!(it, Some(300..=399))).count()
}

/// With all that came: a redirect may be followed as late as the next try.
pub(super) fn followed(scene: &Scene<'_>) -> Shown {
    if redirected(scene) == 0 {
        return nothing(
            "no delivery came to be redirected",
            "er kwam geen aflevering om door te verwijzen",
        );
    }
    let followed = scene.deliveries.iter().filter(|it| it.is_elsewhere);
    by(followed.map(|followed| {
        let token = followed.has_token.then_some(", with its token");
        let token = token.unwrap_or_default();
        followed.evidence(format!("3xx → ?{ELSEWHERE}{token}"))
    }))
}

/// HOOK-RESP-7: 410, after which nothing comes any more.
pub(super) const RETIRES: Scenario = Scenario {
    name: "retires",
    rules: &["HOOK-RESP-7"],
    does: Text {
        en: "answers 410 for good, and sees whether deliveries stop; this may end the subscription",
        nl: "antwoordt voorgoed 410, en kijkt of de afleveringen ophouden; dit kan het abonnement beëindigen",
    },
    needs: Need::Allowed(Allow::Retire),
    // Without it the command would not be run again at once.
    replies: &[GONE],
    then: GONE,
    is_done: |scene| scene.answered(410).next().is_some(),
    // Beside patience: who retries may do so late.
    aftermath: Duration::from_secs(5),
    judge: after_410,
    ..Scenario::PLAIN
};

const GONE: Reply = |_| Answer::status(410);

fn after_410(scene: &Scene<'_>) -> Shown {
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

/// Clocks differ, and a date has no fractions.
const CLOCKS: Duration = Duration::from_secs(1);

/// HOOK-RESP-10: `Retry-After` of 429, in seconds and as a date.
pub(super) const SECONDS: Scenario = Scenario {
    name: "retry-after-seconds",
    does: Text {
        en: "answers 429 with Retry-After: 3",
        nl: "antwoordt 429 met Retry-After: 3",
    },
    replies: &[|_| Answer::status(429).with("retry-after", "3")],
    judge: |scene| waited(scene, Duration::ZERO),
    ..DATE
};

pub(super) const DATE: Scenario = Scenario {
    name: "retry-after-date",
    rules: &["HOOK-RESP-10"],
    does: Text {
        en: "answers 429 with Retry-After as a date five seconds from now",
        nl: "antwoordt 429 met Retry-After als datum, over vijf seconden",
    },
    replies: &[|_| {
        // A date has no fraction of a second: of six at least five are left.
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(6));
        Answer::status(429).with("retry-after", date)
    }],
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
    judge: |scene| waited(scene, CLOCKS),
    ..Scenario::PLAIN
};

/// The specification asks senders to wait after 429 alone; how long they do after 503 is told.
pub(super) const UNAVAILABLE: Scenario = Scenario {
    name: "retry-after-unavailable",
    rules: &[],
    does: Text {
        en: "answers 503 with Retry-After: 3",
        nl: "antwoordt 503 met Retry-After: 3",
    },
    replies: &[|_| Answer::status(503).with("retry-after", "3")],
    ..SECONDS
};

fn waited(scene: &Scene<'_>, tolerance: Duration) -> Shown {
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
    let (status, wait) = (told.status.unwrap_or_default(), until - told.at);
    let asked = format!("{status}, Retry-After in {:.1} s", wait.as_secs_f32());
    let evidence = early.map(|early| {
        let after = (early.at - told.at).as_secs_f32();
        early.evidence(format!("{asked} → again after {after:.1} s"))
    });
    let evidence: Vec<_> = evidence.collect();
    if evidence.is_empty() && scene.deliveries.iter().all(|later| is_early(&later)) {
        return nothing(
            "nothing came after the moment that Retry-After named",
            "er kwam niets na het moment dat Retry-After noemde",
        );
    }
    by(evidence)
}
