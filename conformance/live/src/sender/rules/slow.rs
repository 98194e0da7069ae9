//! Answers that come late, or not at all. No rule is about them; they show order, and how long a
//! sender waits.

use std::time::Duration;

use cloudevents_nl_conformance::Text;

use super::fails::came_again;
use crate::sender::scenario::{Need, Reply, Scenario};

pub(super) const SLOW: Scenario = Scenario {
    name: "slow",
    rules: &[],
    does: Text {
        en: "takes two deliveries two seconds late",
        nl: "neemt twee afleveringen twee seconden te laat aan",
    },
    needs: Need::Nothing,
    replies: &[Reply::Slow(2), Reply::Slow(2)],
    then: Reply::Status(204),
    is_done: |scene| scene.deliveries.len() > 2,
    aftermath: Duration::ZERO,
    judge: |_| Vec::new(),
};

pub(super) const HANGS: Scenario = Scenario {
    name: "hangs",
    rules: &[],
    does: Text {
        en: "gives one delivery no answer, until the sender gives up and sends it again",
        nl: "geeft één aflevering geen antwoord, tot de afzender het opgeeft en opnieuw verzendt",
    },
    needs: Need::Nothing,
    replies: &[Reply::Hang],
    then: Reply::Status(204),
    is_done: |scene| {
        let mut hung = scene
            .deliveries
            .iter()
            .filter(|delivery| delivery.status.is_none());
        hung.any(|hung| came_again(scene, hung))
    },
    aftermath: Duration::ZERO,
    judge: |_| Vec::new(),
};
