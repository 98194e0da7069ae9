//! JSON-DATA-1: bytes come out as something else than `data_base64`.

use cloudevents_nl_conformance::Shown;

use super::{Verdict, nothing_in_json};
use crate::intermediary::plain::Held;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let are_bytes = |name: &str| ["bytes", "bytes-untyped"].contains(&name);
    for pair in story
        .usual()
        .into_iter()
        .filter(|pair| are_bytes(pair.sent.name))
    {
        if let (true, Some(data)) = (pair.event.is_in_json(), &pair.event.data) {
            let is_wrong = data.held != Held::Base64;
            verdict.of(pair, is_wrong.then(|| "data".to_owned()));
        }
    }
    verdict.shown(nothing_in_json())
}
