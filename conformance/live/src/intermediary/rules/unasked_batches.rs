//! HTTP-BATCH-1 and HTTP-BATCH-2: batches that nobody asked for, and how large they may be.

use cloudevents_nl_conformance::{Evidence, Mode, Protocol, Shown};

use super::why;
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    if story.to != Protocol::Http || story.came.is_empty() {
        return Shown::Nothing(why("nothing came over HTTP", "er kwam niets over HTTP"));
    }
    let is_batch = |event: &crate::intermediary::plain::Plain| event.mode == Mode::Batched;
    let batches = story
        .came
        .iter()
        .filter(|came| came.events.iter().any(is_batch));
    let evidence = batches.map(|came| Evidence {
        line: came.line,
        in_response: false,
        seen: format!("{} × application/cloudevents-batch+json", came.events.len()),
    });
    let evidence: Vec<_> = evidence.collect();
    match evidence.is_empty() || story.has_asked_for_batches {
        true => Shown::Met,
        false => Shown::Broken(evidence),
    }
}
