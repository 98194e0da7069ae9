//! CE-FMT-1: the JSON format.

use super::Whole;
use crate::sender::scenario::{Scene, Verdict};

const RULE: &str = "CE-FMT-1";

pub(super) const WHOLE: Whole = Whole {
    rules: &[RULE],
    judge,
};

/// How well the format is written shows in each message.
fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    if scene.deliveries.iter().any(|delivery| delivery.is_json) {
        return vec![Verdict::met(RULE)];
    }
    let en = "everything came in binary mode: have the sender use structured mode, too";
    let nl = "alles kwam in binary mode: laat de afzender ook structured mode gebruiken";
    vec![Verdict::nothing(RULE, en, nl)]
}
