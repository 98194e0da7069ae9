//! JSON-DATA-11: bytes without a content type come out with one.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.of_specimen("bytes-untyped") {
        if pair.sent.event.is_in_json() {
            let ty = pair.event.attribute("datacontenttype");
            verdict.of(pair, ty.map(|ty| format!("datacontenttype: ∅ → {ty}")));
        }
    }
    verdict.shown(nothing_came())
}
