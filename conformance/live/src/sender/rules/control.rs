//! HTTP-ENC-6: control characters in attributes are percent-encoded.

use cloudevents_nl_conformance::Shown;

use crate::sender::journal::Control;
use crate::sender::scenario::Scene;
use crate::shown::{by, nothing};

pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    let all = scene.deliveries.iter();
    if all.clone().all(|it| it.control == Control::None) {
        return nothing(
            "no attribute in a header had a control character: have the sender send one, if it lets you",
            "geen attribuut in een header had een stuurteken: laat de afzender er een versturen, als dat kan",
        );
    }
    let raw = all.filter(|it| it.control == Control::Raw);
    by(raw.map(|it| it.evidence("a control character in a header")))
}
