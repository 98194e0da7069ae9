//! CE-INT-1: an optional attribute does not come out.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::compare::Difference;
use crate::intermediary::story::Story;

/// They have rules of their own.
const OTHERS: [&str; 2] = ["expirytime", "recordedtime"];

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        let mut dropped =
            pair.differences()
                .into_iter()
                .filter_map(|difference| match difference {
                    Difference::Dropped(name) if !OTHERS.contains(&&*name) => {
                        Some(format!("{name} → ∅"))
                    }
                    _ => None,
                });
        verdict.of(pair, dropped.next());
    }
    verdict.shown(nothing_came())
}
