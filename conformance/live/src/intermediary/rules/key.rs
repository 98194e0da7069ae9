//! Keys of records, and `partitionkey`.

use std::borrow::Cow;

use cloudevents_nl_conformance::Protocol;

use super::{Judge, found, over};
use crate::intermediary::spelling::text_in;
use crate::intermediary::story::{Pair, Story};
use crate::shown::{nothing, why};

pub(super) const RULES: &[(&str, Judge)] = &[
    // Version 1.0.1 has `partitionkey` as the key of a record. Another key is what later versions ask for.
    ("KAFKA-KEY-1", |story| {
        let why_not = why(
            "no record came out whose key is its partitionkey; version 1.0.2 asks for another (KAFKA-KEY-2)",
            "er kwam geen record uit met partitionkey als sleutel; versie 1.0.2 vraagt een andere (KAFKA-KEY-2)",
        );
        over(records_out(story), why_not, |pair| {
            let key = pair.attribute("partitionkey").0?;
            let is = pair.came.message.key.as_deref()?;
            // In quotes, as a serializer of JSON writes it.
            if text_in(is).as_deref() == Some(key) {
                return found(Some(format!("{key} → {}", String::from_utf8_lossy(is))));
            }
            (is == key.as_bytes()).then_some(Ok(()))
        })
    }),
    // The key of a record that came in is not that of the record that comes out.
    ("KAFKA-KEY-2", |story| {
        let why_not = why(
            "no record with a key went in and came out as a record",
            "er ging geen record met een sleutel naar binnen dat als record naar buiten kwam",
        );
        let records = records_out(story).filter(|_| story.from == Protocol::Kafka);
        over(records, why_not, |pair| {
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
    }),
    // A setting, which no run shows.
    ("KAFKA-KEY-3", |_| {
        nothing(
            "whether there is such a setting stands in its documentation",
            "of die instelling er is, staat in de documentatie",
        )
    }),
    // `partitionkey` is no attribute any more where records have a key.
    ("KAFKA-KEY-4", |story| {
        let why_not = why("no record came out", "er kwam geen record uit");
        over(records_out(story), why_not, |pair| {
            let (was, is) = pair.attribute("partitionkey");
            let was = was?;
            found((is != Some(was)).then(|| format!("{was} → {}", is.unwrap_or("∅"))))
        })
    }),
    // The key of a record comes out as an attribute.
    ("KAFKA-KEY-5", |story| {
        let why_not = why("no record went in", "er ging geen record naar binnen");
        let records = story.usual().filter(|_| story.from == Protocol::Kafka);
        over(records, why_not, |pair| {
            let key = pair.sent.message.key.as_ref()?;
            if pair.attribute("partitionkey").0.is_some() {
                return None;
            }
            let mut attributes = pair.event.attributes.iter();
            let taken = attributes.find(|(_, value)| value.as_bytes() == key);
            found(taken.map(|(name, value)| format!("{name}: ∅ → {value}")))
        })
    }),
];

fn records_out(story: &Story) -> impl Iterator<Item = Pair<'_>> {
    story.usual().filter(move |_| story.to == Protocol::Kafka)
}
