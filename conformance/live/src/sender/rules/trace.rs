//! EXT-TRACE-2: `traceparent` of the event, and of the request that carries it.

use super::Whole;
use crate::sender::scenario::{Scene, Verdict};

const RULE: &str = "EXT-TRACE-2";

pub(super) const WHOLE: Whole = Whole {
    rules: &[RULE],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let other = scene
        .deliveries
        .iter()
        .filter_map(|it| Some(it.evidence(it.other_trace.as_ref()?)));
    let evidence: Vec<_> = other.collect();
    if scene.declared.relays {
        let en = "the sender passes on events of others, so there is more than one hop (--relays)";
        let nl = "de afzender geeft gebeurtenissen van anderen door, dus er is meer dan één hop (--relays)";
        return vec![Verdict::nothing(RULE, en, nl)];
    }
    if evidence.is_empty() && !scene.deliveries.iter().any(|it| it.has_same_trace) {
        let en = "no delivery had both the attribute and the header";
        let nl = "geen aflevering had zowel het attribuut als de header";
        return vec![Verdict::nothing(RULE, en, nl)];
    }
    vec![Verdict::by(RULE, evidence)]
}
