//! HTTP-BATCH-1 and JSON-BATCH-3: batches go to who asked for them.

use cloudevents_nl_conformance::Shown;

use crate::sender::scenario::Scene;
use crate::shown::{by, nothing};

pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    if scene.options.batches_agreed {
        return nothing(
            "batches were agreed on (--batches-agreed)",
            "batches zijn afgesproken (--batches-agreed)",
        );
    }
    let batches = scene.deliveries.iter().filter(|delivery| delivery.is_batch);
    by(batches.map(|it| it.evidence("a batch, and nobody asked for one")))
}
