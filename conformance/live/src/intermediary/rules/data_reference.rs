//! EXT-DATAREF-4: neither the data nor the reference to it comes out.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.of_specimen("reference") {
        let has_either = pair.event.data.is_some() || pair.event.attribute("dataref").is_some();
        verdict.of(pair, (!has_either).then(|| "data, dataref → ∅".to_owned()));
    }
    verdict.shown(nothing_came())
}
