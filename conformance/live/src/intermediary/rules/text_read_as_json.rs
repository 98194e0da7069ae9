//! JSON-DATA-7: a text in JSON data is read as JSON once more.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_came};
use crate::intermediary::spelling::text_in;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        let (sent, came) = (&pair.sent.event, pair.event);
        let (Some(was), Some(is), true) = (&sent.data, &came.data, sent.holds_json()) else {
            continue;
        };
        let Some(text) = text_in(&was.bytes) else {
            continue;
        };
        let is_wrong = text_in(&is.bytes).as_deref() != Some(&*text);
        let told = || format!("{text:?} → {}", String::from_utf8_lossy(&is.bytes));
        verdict.of(pair, is_wrong.then(told));
    }
    verdict.shown(nothing_came())
}
