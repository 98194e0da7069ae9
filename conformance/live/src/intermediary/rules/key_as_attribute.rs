//! KAFKA-KEY-5: the key of a record comes out as an attribute.

use cloudevents_nl_conformance::{Protocol, Shown};

use super::{Verdict, why};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let was_record = story.from == Protocol::Kafka;
    for pair in story.usual().into_iter().filter(|_| was_record) {
        let (Some(key), None) = (&pair.sent.message.key, pair.attribute("partitionkey").0) else {
            continue;
        };
        let mut attributes = pair.event.attributes.iter();
        let taken = attributes.find(|(_, value)| value.as_bytes() == key);
        verdict.of(
            pair,
            taken.map(|(name, value)| format!("{name}: ∅ → {value}")),
        );
    }
    verdict.shown(why("no record went in", "er ging geen record naar binnen"))
}
