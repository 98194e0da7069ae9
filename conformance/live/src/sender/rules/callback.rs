//! HOOK-CB-1: the callback takes GET and POST. Whoever offers one is called by both.

use super::Whole;
use crate::sender::scenario::{Scene, Verdict};

const RULE: &str = "HOOK-CB-1";

pub(super) const WHOLE: Whole = Whole {
    rules: &[RULE],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let called = scene
        .handshakes
        .iter()
        .find(|asked| !asked.callbacks.is_empty());
    let Some(called) = called else {
        let en = "the sender offered no callback";
        let nl = "de afzender bood geen callback aan";
        return vec![Verdict::nothing(RULE, en, nl)];
    };
    let is_taken = |status: Option<u16>| status.is_some_and(|status| (200..300).contains(&status));
    let refused = called
        .callbacks
        .iter()
        .filter(|(_, status)| !is_taken(*status));
    let evidence = refused.map(|(method, status)| {
        let status = status.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        called.evidence(format!("callback by {method} → {status}"))
    });
    vec![Verdict::by(RULE, evidence.collect())]
}
