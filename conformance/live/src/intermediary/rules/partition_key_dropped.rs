//! KAFKA-KEY-4: `partitionkey` is no attribute any more where records have a key.

use cloudevents_nl_conformance::{Protocol, Shown};

use super::{Verdict, why};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let is_record = story.to == Protocol::Kafka;
    for pair in story.usual().into_iter().filter(|_| is_record) {
        if let (Some(was), is) = pair.attribute("partitionkey") {
            verdict.of(
                pair,
                (is != Some(was)).then(|| format!("{was} → {}", is.unwrap_or("∅"))),
            );
        }
    }
    verdict.shown(why("no record came out", "er kwam geen record uit"))
}
