//! CE-TYPES-2: a typed value does not come out as its canonical text.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::story::Story;

/// A number, a boolean, bytes and a moment.
const TYPED: [&str; 4] = ["aantal", "vlag", "rauw", "moment"];

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.of_specimen("typed-extensions") {
        let mut values = TYPED.iter().map(|name| (name, pair.attribute(name)));
        let changed = values.find_map(|(name, values)| match values {
            (Some(was), Some(is)) if was != is => Some(format!("{name}: {was} → {is}")),
            _ => None,
        });
        verdict.of(pair, changed);
    }
    verdict.shown(nothing_came())
}
