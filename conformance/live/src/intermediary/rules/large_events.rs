//! SIZE-1: an event of 64 KiB or less, as it is sent, does not come out, or not all of the largest.

use std::collections::HashSet;

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::compare::Difference;
use crate::intermediary::specimens::LARGE;
use crate::intermediary::story::{Outcome, Story};

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let came = story.usual();
    let due = || story.sent.iter().filter(|sent| !sent.is_odd);
    // Who refuses everything may have been asked at a wrong address.
    if came.is_empty() && !due().any(|sent| sent.is_due()) {
        return Shown::Nothing(nothing_came());
    }
    let mut arrived = HashSet::new();
    for pair in came {
        if pair.came.is_taken {
            arrived.insert(pair.sent.event.identity());
        }
        if pair.sent.name == LARGE {
            let mut all = pair.differences().into_iter();
            let changed = all.find(Difference::is_other_data);
            verdict.of(pair, changed.map(|difference| difference.to_string()));
        }
    }
    let unreadable = || story.came.iter().filter(|came| came.events.is_empty());
    for sent in due().filter(|sent| !arrived.contains(&sent.event.identity())) {
        match sent.outcome {
            // It came out, and other rules say why nobody can read it.
            _ if unreadable().any(|came| came.has_id(sent.event.id())) => {}
            Outcome::Taken => verdict.broken_by(sent, "→ ∅"),
            Outcome::Refused(_) => verdict.broken_by(sent, sent.said()),
            // It may have been away for a while, but not for the largest alone.
            Outcome::Unknown(_) if sent.name == LARGE => verdict.broken_by(sent, sent.said()),
            Outcome::Unknown(_) => {}
        }
    }
    verdict.shown(nothing_came())
}
