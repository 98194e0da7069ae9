//! JSON-DATA-2: text or JSON comes out as `data_base64`.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_in_json};
use crate::intermediary::plain::Held;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.usual() {
        let was_text = pair.sent.event.holds_json()
            || pair
                .sent
                .event
                .attribute("datacontenttype")
                .is_some_and(|ty| ty.starts_with("text/"));
        if let (true, true, Some(data)) = (was_text, pair.event.is_in_json(), &pair.event.data) {
            let is_wrong = data.held == Held::Base64;
            verdict.of(pair, is_wrong.then(|| "data_base64".to_owned()));
        }
    }
    verdict.shown(nothing_in_json())
}
