//! CE-TYPES-13: an attribute comes out with another value.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::compare::{Difference, Tolerance};
use crate::intermediary::story::Story;

/// They have rules of their own.
const OTHERS: [&str; 2] = ["traceparent", "recordedtime"];

pub(super) fn judge(story: &Story) -> Shown {
    let is_tolerated = story.tolerated.contains(&Tolerance::TimeSpelling);
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        let mut changed = pair
            .differences()
            .into_iter()
            .filter(|difference| match difference {
                Difference::Changed { name, .. } => !OTHERS.contains(&&**name),
                Difference::TimeSpelling { name, .. } => {
                    !is_tolerated && !OTHERS.contains(&&**name)
                }
                _ => false,
            });
        verdict.of(
            pair,
            changed.next().map(|difference| difference.to_string()),
        );
    }
    verdict.shown(nothing_came())
}
