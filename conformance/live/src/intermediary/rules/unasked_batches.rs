//! HTTP-BATCH-1: batches that nobody asked for.

use cloudevents_nl_conformance::{Mode, Protocol, Shown};

use crate::intermediary::story::Story;
use crate::shown::{by, evidence, nothing};

pub(super) fn judge(story: &Story) -> Shown {
    if story.to != Protocol::Http || story.came.is_empty() {
        return nothing("nothing came over HTTP", "er kwam niets over HTTP");
    }
    let unasked = story.came.iter().filter(|came| {
        let mut events = came.events.iter();
        !story.has_asked_for_batches && events.any(|event| event.mode == Mode::Batched)
    });
    by(unasked.map(|came| {
        let seen = format!("{} × application/cloudevents-batch+json", came.events.len());
        evidence(came.line, seen)
    }))
}
