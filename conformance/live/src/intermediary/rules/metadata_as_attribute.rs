//! CE-EXT-5: a header that is no attribute comes out as one.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, why};
use crate::intermediary::message::FOREIGN;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let (name, value) = FOREIGN;
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        let mut attributes = pair.event.attributes.iter();
        let taken = attributes.find(|(_, is)| *is == value);
        if taken.is_some() || pair.came.message.header(name).is_some() {
            verdict.of(
                pair,
                taken.map(|(attribute, _)| format!("{name} → {attribute}")),
            );
        }
    }
    verdict.shown(why(
        "the intermediary passes on no header that is no attribute",
        "de intermediair geeft geen headers door die geen attribuut zijn",
    ))
}
