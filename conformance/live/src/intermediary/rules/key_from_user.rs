//! KAFKA-KEY-2: the key of a record that came in is not that of the record that comes out.

use cloudevents_nl_conformance::{Protocol, Shown};

use super::{Verdict, why};
use crate::intermediary::story::Story;

pub(super) fn judge(story: &Story) -> Shown {
    let mut verdict = Verdict::default();
    let are_records = (story.from, story.to) == (Protocol::Kafka, Protocol::Kafka);
    for pair in story.usual().into_iter().filter(|_| are_records) {
        let (was, is) = (&pair.sent.message.key, &pair.came.message.key);
        let mapped = pair.attribute("partitionkey").0.map(str::as_bytes);
        // Version 1.0.1 wants that, and a setting may.
        if mapped.is_some() && is.as_deref() == mapped {
            continue;
        }
        let told = |key: &Option<Vec<u8>>| {
            key.as_deref()
                .map_or_else(|| "∅".into(), String::from_utf8_lossy)
                .into_owned()
        };
        verdict.of(
            pair,
            (was != is).then(|| format!("{} → {}", told(was), told(is))),
        );
    }
    verdict.shown(why(
        "no record with a key went in and came out as a record",
        "er ging geen record met een sleutel naar binnen dat als record naar buiten kwam",
    ))
}
