//! JSON-DATA-5: JSON comes out as a text that holds JSON.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_in_json};
use crate::intermediary::spelling::{is_same_json, text_in};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        let (sent, came) = (&pair.sent.event, pair.event);
        let (Some(was), Some(is), true) = (&sent.data, &came.data, sent.holds_json()) else {
            continue;
        };
        if came.is_in_json() && text_in(&was.bytes).is_none() {
            let text = text_in(&is.bytes).filter(|text| is_same_json(text.as_bytes(), &was.bytes));
            verdict.of(pair, text.map(|_| "data: \"{…}\"".to_owned()));
        }
    }
    verdict.shown(nothing_in_json())
}
