//! Answers that come late, or not at all. No rule is about them; they show order, and how long a
//! sender waits.

use cloudevents_nl_conformance::Text;

use super::fails::came_again;
use crate::sender::scenario::{Reply, Scenario};

pub(super) const SLOW: Scenario = Scenario {
    name: "slow",
    does: Text {
        en: "takes two deliveries two seconds late",
        nl: "neemt twee afleveringen twee seconden te laat aan",
    },
    replies: &[Reply::Slow(2), Reply::Slow(2)],
    is_done: |scene| scene.deliveries.len() > 2,
    ..Scenario::PLAIN
};

pub(super) const HANGS: Scenario = Scenario {
    name: "hangs",
    does: Text {
        en: "gives one delivery no answer, until the sender gives up and sends it again",
        nl: "geeft één aflevering geen antwoord, tot de afzender het opgeeft en opnieuw verzendt",
    },
    replies: &[Reply::Hang],
    is_done: |scene| {
        let mut hung = scene.deliveries.iter().filter(|it| it.status.is_none());
        hung.any(|hung| came_again(scene, hung))
    },
    ..Scenario::PLAIN
};
