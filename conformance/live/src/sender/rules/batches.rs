//! HTTP-BATCH-1 and JSON-BATCH-3: batches go to who asked for them.

use super::Whole;
use crate::sender::scenario::{Scene, Verdict};

const RULES: &[&str] = &["HTTP-BATCH-1", "JSON-BATCH-3"];

pub(super) const WHOLE: Whole = Whole {
    rules: RULES,
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let verdict = |rule| {
        if scene.declared.takes_batches {
            let en = "batches were agreed on (--batches-agreed)";
            let nl = "batches zijn afgesproken (--batches-agreed)";
            return Verdict::nothing(rule, en, nl);
        }
        let batches = scene.deliveries.iter().filter(|delivery| delivery.is_batch);
        let evidence = batches.map(|it| it.evidence("a batch, and nobody asked for one"));
        Verdict::by(rule, evidence.collect())
    };
    RULES.iter().copied().map(verdict).collect()
}
