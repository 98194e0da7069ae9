//! Keys of records, and `partitionkey`.

use std::borrow::Cow;

use cloudevents_nl_conformance::{Protocol, Shown};

use super::{found, over};
use crate::intermediary::story::{Pair, Story};
use crate::shown::why;

/// KAFKA-KEY-1: version 1.0.1 has `partitionkey` as the key of a record. Another key is what later versions
/// ask for.
pub(super) fn mapped_by_default(story: &Story) -> Shown {
    let why_not = why(
        "no record came out whose key is its partitionkey; version 1.0.2 asks for another (KAFKA-KEY-2)",
        "er kwam geen record uit met partitionkey als sleutel; versie 1.0.2 vraagt een andere (KAFKA-KEY-2)",
    );
    over(pairs(story, story.to == Protocol::Kafka), why_not, |pair| {
        let key = pair.attribute("partitionkey").0?;
        let is_mapped = pair.came.message.key.as_deref() == Some(key.as_bytes());
        is_mapped.then_some(Ok(()))
    })
}

/// KAFKA-KEY-2: the key of a record that came in is not that of the record that comes out.
pub(super) fn changed(story: &Story) -> Shown {
    let why_not = why(
        "no record with a key went in and came out as a record",
        "er ging geen record met een sleutel naar binnen dat als record naar buiten kwam",
    );
    let are_records = (story.from, story.to) == (Protocol::Kafka, Protocol::Kafka);
    over(pairs(story, are_records), why_not, |pair| {
        let (was, is) = (&pair.sent.message.key, &pair.came.message.key);
        let mapped = pair.attribute("partitionkey").0.map(str::as_bytes);
        // Version 1.0.1 wants that, and a setting may.
        if mapped.is_some() && is.as_deref() == mapped {
            return None;
        }
        let told = |key: &Option<Vec<u8>>| {
            let key = key.as_deref().map(String::from_utf8_lossy);
            key.map_or_else(|| "∅".to_owned(), Cow::into_owned)
        };
        found((was != is).then(|| format!("{} → {}", told(was), told(is))))
    })
}

/// KAFKA-KEY-4: `partitionkey` is no attribute any more where records have a key.
pub(super) fn attribute_dropped(story: &Story) -> Shown {
    let why_not = why("no record came out", "er kwam geen record uit");
    over(pairs(story, story.to == Protocol::Kafka), why_not, |pair| {
        let (was, is) = pair.attribute("partitionkey");
        let was = was?;
        found((is != Some(was)).then(|| format!("{was} → {}", is.unwrap_or("∅"))))
    })
}

/// KAFKA-KEY-5: the key of a record comes out as an attribute.
pub(super) fn as_attribute(story: &Story) -> Shown {
    let why_not = why("no record went in", "er ging geen record naar binnen");
    over(
        pairs(story, story.from == Protocol::Kafka),
        why_not,
        |pair| {
            let key = pair.sent.message.key.as_ref()?;
            if pair.attribute("partitionkey").0.is_some() {
                return None;
            }
            let mut attributes = pair.event.attributes.iter();
            let taken = attributes.find(|(_, value)| value.as_bytes() == key);
            found(taken.map(|(name, value)| format!("{name}: ∅ → {value}")))
        },
    )
}

/// All, or none where the run has no such records.
fn pairs(story: &Story, has_records: bool) -> impl Iterator<Item = Pair<'_>> {
    let pairs = story.usual().into_iter();
    pairs.filter(move |_| has_records)
}
