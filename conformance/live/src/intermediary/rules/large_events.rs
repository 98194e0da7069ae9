//! SIZE-1: an event of 64 KiB, as it is sent, does not come out, or not all of it.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::compare::Difference;
use crate::intermediary::specimens::LARGE;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let pairs = story.pairs();
    for sent in story.sent.iter().filter(|sent| sent.name == LARGE) {
        let mut pairs = pairs.iter();
        match pairs.find(|pair| pair.sent.event.id() == sent.event.id()) {
            Some(pair) => {
                let mut all = pair.differences().into_iter();
                let changed = all.find(Difference::is_other_data);
                verdict.of(*pair, changed.map(|difference| difference.to_string()));
            }
            None if sent.is_due() => verdict.broken_by(sent, "→ ∅"),
            None => verdict.broken_by(sent, sent.said()),
        }
    }
    verdict.shown(nothing_came())
}
