//! EXT-TRACE-3: `traceparent` comes out as another.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        // One that is gone is CE-INT-1's.
        if let (Some(was), Some(is)) = pair.attribute("traceparent") {
            verdict.of(pair, (was != is).then(|| format!("{was} → {is}")));
        }
    }
    verdict.shown(nothing_came())
}
