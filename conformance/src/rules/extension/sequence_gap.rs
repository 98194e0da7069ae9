//! EXT-SEQ-3: a sequence with gaps.

use crate::reading::Event;
use crate::rule::{
    Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, StreamFacts, Text, Watch,
};
use crate::rules::sequence::{Place, Sequences};

pub(crate) const RULE: Rule = Rule {
    id: "EXT-SEQ-3",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "Extension sequence 1.0.1/1.0.2; NL GOV 3.5.1.1",
    title: Text {
        en: "Gap in `sequence`",
        nl: "Gat in `sequence`",
    },
    explanation: Text {
        en: "Within a source `sequence` rises without gaps. Judged where the values are whole numbers. In an excerpt, which may leave events out, and in a partition of Kafka, beside which others may hold them, a gap is a notice only.",
        nl: "Binnen een bron loopt `sequence` op zonder gaten. Beoordeeld als de waarden gehele getallen zijn. In een uittreksel kunnen gebeurtenissen ontbreken, en naast een Kafka-partitie kunnen andere partities ze bevatten; een gat is dan alleen een opmerking.",
    },
    why: Text {
        en: "A receiver that sees a gap cannot tell whether an event is missing or never existed.",
        nl: "Een ontvanger die een gat ziet, weet niet of er een gebeurtenis ontbreekt of nooit is geweest.",
    },
    fix: Text {
        en: "Count by one per event of a source.",
        nl: "Verhoog de teller van een bron bij elke gebeurtenis met één.",
    },
    good: Example::Stream(&[r#""id":"1","sequence":"1""#, r#""id":"2","sequence":"2""#]),
    bad: Example::Stream(&[r#""id":"1","sequence":"1""#, r#""id":"2","sequence":"3""#]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|facts: StreamFacts| {
        Box::new(Gaps {
            is_complete: facts.is_complete,
            last: Sequences::default(),
        })
    }),
};

#[derive(Debug)]
struct Gaps {
    is_complete: bool,
    last: Sequences<i64>,
}

impl Watch for Gaps {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let Some(sequence) = event.attribute("sequence") else {
            return;
        };
        let Some(number) = sequence.text().and_then(|text| text.parse::<i64>().ok()) else {
            return;
        };
        // The end of 32 bits goes on at their beginning.
        let wraps = |last: i64| last == i64::from(i32::MAX) && number == i64::from(i32::MIN);
        let Some(Place::After(Some(last))) = self.last.place(event, number) else {
            return;
        };
        if number <= last.saturating_add(1) || wraps(last) {
            return;
        }
        if self.is_complete && !event.is_in_partition() {
            found.at(sequence);
        } else {
            // What is left out of an excerpt, or lies in another partition, is not the sender's gap.
            found.noticed().at(sequence);
        }
    }
}
