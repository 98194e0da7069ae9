//! HTTP-BATCH-1 and HTTP-BATCH-2: batches that nobody asked for, and how large they may be.

use cloudevents_nl_conformance::{Evidence, Mode, Protocol, Shown};

use super::{Rule, why};
use crate::intermediary::story::Story;

pub(super) const RULE: Rule = Rule {
    id: "HTTP-BATCH-1",
    judge,
};

pub(super) const SIZE: Rule = Rule {
    id: "HTTP-BATCH-2",
    judge: |_| {
        Shown::Nothing(why(
            "how large batches may be is a setting of the intermediary",
            "hoe groot batches mogen zijn is een instelling van de intermediair",
        ))
    },
};

fn judge(story: &Story) -> Shown {
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
