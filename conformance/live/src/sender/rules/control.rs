//! HTTP-ENC-6: control characters in attributes are percent-encoded.

use super::Whole;
use crate::sender::journal::Control;
use crate::sender::scenario::{Scene, Verdict};

const RULE: &str = "HTTP-ENC-6";

pub(super) const WHOLE: Whole = Whole {
    rules: &[RULE],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let with = |control| {
        scene
            .deliveries
            .iter()
            .filter(move |it| it.control == control)
    };
    let evidence: Vec<_> = with(Control::Raw)
        .map(|it| it.evidence("a control character in a header"))
        .collect();
    if evidence.is_empty() && with(Control::Coded).next().is_none() {
        let en = "no attribute in a header had a control character: have the sender send one, if it lets you";
        let nl = "geen attribuut in een header had een stuurteken: laat de afzender er een versturen, als dat kan";
        return vec![Verdict::nothing(RULE, en, nl)];
    }
    vec![Verdict::by(RULE, evidence)]
}
