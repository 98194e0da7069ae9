//! JSON-DATA-12: JSON without a content type comes out in binary mode without one.

use cloudevents_nl_conformance::{Mode, Shown};

use super::{Verdict, why};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    for pair in story.of_specimen("untyped-json") {
        if pair.sent.event.is_in_json() && pair.event.mode == Mode::Binary {
            let ty = pair.event.attribute("datacontenttype");
            let is_wrong = ty != Some("application/json");
            verdict.of(
                pair,
                is_wrong.then(|| format!("datacontenttype: {}", ty.unwrap_or("∅"))),
            );
        }
    }
    verdict.shown(why(
        "no such event went in in the JSON format and came out in binary mode",
        "zo\u{2019}n gebeurtenis ging niet in het JSON-formaat naar binnen en in binary mode naar buiten",
    ))
}
