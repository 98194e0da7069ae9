//! EXT-CLASS-2: what is classified comes out as if it were not.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, why};
use crate::intermediary::specimens::CLASSIFIED;
use crate::intermediary::story::{Outcome, Story};

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let classified = |name: &str| name == CLASSIFIED;
    let mut sent = story.sent.iter().filter(|sent| classified(sent.name));
    verdict.is_tried = sent.any(|sent| matches!(sent.outcome, Outcome::Refused(_)));
    for pair in story
        .pairs()
        .into_iter()
        .filter(|pair| classified(pair.sent.name))
    {
        if let (Some(was), None) = pair.attribute("dataclassification") {
            verdict.of(pair, Some(format!("{was} → ∅")));
        }
    }
    verdict.shown(why(
        "an event with an unknown classification was passed on as it was, which binds only who supports the extension",
        "een gebeurtenis met een onbekende classificatie is ongewijzigd doorgegeven; de regel bindt alleen wie de uitbreiding ondersteunt",
    ))
}
