//! SIZE-1: an event of 64 KiB, as it is sent, does not come out, or not all of it.

use std::collections::HashSet;

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::compare::Difference;
use crate::intermediary::specimens::LARGE;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let mut arrived = HashSet::new();
    for pair in story.of_specimen(LARGE) {
        arrived.insert(pair.sent.event.id());
        let mut all = pair.differences().into_iter();
        let changed = all.find(Difference::is_other_data);
        verdict.of(pair, changed.map(|difference| difference.to_string()));
    }
    let large = story.sent.iter().filter(|sent| sent.name == LARGE);
    for sent in large.filter(|sent| !arrived.contains(sent.event.id())) {
        match sent.is_due() {
            true => verdict.broken_by(sent, "→ ∅"),
            false => verdict.broken_by(sent, sent.said()),
        }
    }
    verdict.shown(nothing_came())
}
