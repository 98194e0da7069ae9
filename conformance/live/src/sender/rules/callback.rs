//! HOOK-CB-1: the callback takes GET and POST. Whoever offers one is called by both.

use cloudevents_nl_conformance::Shown;

use crate::sender::scenario::Scene;
use crate::shown::{by, nothing};

pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    let mut handshakes = scene.handshakes.iter();
    let Some(called) = handshakes.find(|asked| !asked.callbacks.is_empty()) else {
        return nothing(
            "the sender offered no callback",
            "de afzender bood geen callback aan",
        );
    };
    let callbacks = called.callbacks.iter();
    let refused = callbacks.filter(|(_, status)| !matches!(status, Some(200..=299)));
    by(refused.map(|(method, status)| {
        let status = status.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        called.evidence(format!("callback by {method} → {status}"))
    }))
}
