//! EXT-TRACE-2: `traceparent` of the event, and of the request that carries it.

use cloudevents_nl_conformance::Shown;

use crate::sender::journal::Delivery;
use crate::sender::scenario::Scene;
use crate::shown::{by, nothing};

pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    if scene.options.relays {
        return nothing(
            "the sender passes on events of others, so there is more than one hop (--relays)",
            "de afzender geeft gebeurtenissen van anderen door, dus er is meer dan één hop (--relays)",
        );
    }
    let all = scene.deliveries.iter();
    let has_both = |it: &Delivery| it.has_same_trace || it.other_trace.is_some();
    if !all.clone().any(has_both) {
        return nothing(
            "no delivery had both the attribute and the header",
            "geen aflevering had zowel het attribuut als de header",
        );
    }
    by(all.filter_map(|it| Some(it.evidence(it.other_trace.as_ref()?))))
}
