//! CE-FMT-1: the JSON format. How well it is written shows in each message.

use cloudevents_nl_conformance::Shown;

use crate::sender::scenario::Scene;
use crate::shown::nothing;

pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    match scene.deliveries.iter().any(|delivery| delivery.is_json) {
        true => Shown::Met,
        false => nothing(
            "everything came in binary mode: have the sender use structured mode, too",
            "alles kwam in binary mode: laat de afzender ook structured mode gebruiken",
        ),
    }
}
