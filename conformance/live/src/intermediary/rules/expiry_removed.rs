//! EXT-EXPIRY-2: `expirytime` does not come out.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        if let (Some(was), is) = pair.attribute("expirytime") {
            verdict.of(pair, is.is_none().then(|| format!("{was} → ∅")));
        }
    }
    verdict.shown(nothing_came())
}
