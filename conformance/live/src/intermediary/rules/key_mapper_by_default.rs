//! KAFKA-KEY-1: version 1.0.1 has `partitionkey` as the key of a record.

use cloudevents_nl_conformance::{Protocol, Shown};

use super::{Verdict, why};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let is_record = story.to == Protocol::Kafka;
    for pair in story.usual().into_iter().filter(|_| is_record) {
        let key = pair.attribute("partitionkey").0;
        if key.is_some_and(|key| pair.came.message.key.as_deref() == Some(key.as_bytes())) {
            verdict.of(pair, None);
        }
    }
    // Another key is what later versions ask for.
    verdict.shown(why(
        "no record came out whose key is its partitionkey; version 1.0.2 asks for another (KAFKA-KEY-2)",
        "er kwam geen record uit met partitionkey als sleutel; versie 1.0.2 vraagt een andere (KAFKA-KEY-2)",
    ))
}
