//! EXT-REC-2: `recordedtime` comes out as another, or not.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::compare::Tolerance;
use crate::intermediary::spelling::is_same_moment;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let is_tolerated = story.tolerated.contains(&Tolerance::TimeSpelling);
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        if let (Some(was), is) = pair.attribute("recordedtime") {
            let is = is.unwrap_or("∅");
            let is_kept = was == is || is_tolerated && is_same_moment(was, is);
            verdict.of(pair, (!is_kept).then(|| format!("{was} → {is}")));
        }
    }
    verdict.shown(nothing_came())
}
