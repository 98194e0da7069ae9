use crate::memory::fingerprint;
use crate::rules::prelude::*;
use crate::rules::sequence::{Place, Sequences};

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEQ-3",
    en: Texts {
        title: "Gap or repeat in `sequence`",
        explanation: "Within a source `sequence` rises without gaps: no value comes twice, and whole numbers rise by one. Under `sequencetype` `Integer` -2147483648 follows 2147483647. Other values that fall are reported by EXT-SEQ-5 and EXT-SEQ-6. In an excerpt, which may leave events out, and in a partition of Kafka, beside which others may hold them, a gap is a notice only.",
        why: "A receiver that sees a gap cannot tell whether an event is missing or never existed, and of two events with one value it cannot tell which came first.",
        fix: "Count by one per event of a source.",
    },
    nl: Texts {
        title: "Gat of herhaling in `sequence`",
        explanation: "Binnen een bron loopt `sequence` op zonder gaten: geen waarde komt twee keer voor en gehele getallen lopen met één op. Bij `sequencetype` `Integer` volgt -2147483648 op 2147483647. Andere dalende waarden melden EXT-SEQ-5 en EXT-SEQ-6. In een uittreksel kunnen gebeurtenissen ontbreken, en naast een Kafka-partitie kunnen andere partities ze bevatten; een gat is dan alleen een opmerking.",
        why: "Een ontvanger die een gat ziet, weet niet of er een gebeurtenis ontbreekt of nooit is geweest. Van twee gebeurtenissen met dezelfde waarde weet hij niet welke de eerste was.",
        fix: "Verhoog de teller van een bron bij elke gebeurtenis met één.",
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
    last: Sequences<Last>,
}

/// A value, and the number that it is.
#[derive(Clone, Copy, Debug)]
struct Last {
    text: u64,
    number: Option<i64>,
}

impl Watch for Gaps {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let Some(sequence) = event.attribute("sequence") else {
            return;
        };
        let text = match &sequence.value {
            Value::Text(text) => text,
            Value::Number(raw) => *raw,
            _ => return,
        };
        let now = Last {
            text: fingerprint(&text),
            number: text.parse().ok(),
        };
        let Some(Place::After(Some(last))) = self.last.place(event, now) else {
            return;
        };
        let is_integer = event.text("sequencetype") == Some("Integer");
        let shows_all = self.is_complete && !event.is_in_partition();
        match step(last, now, is_integer) {
            Some(2..) if !shows_all => found.noticed().at(sequence),
            Some(0 | 2..) => found.at(sequence),
            // The end of 32 bits goes on at their beginning, and nowhere else.
            Some(..0) if last.number == Some(i32::MAX.into()) => found.at(sequence),
            // What falls otherwise is reported by those who know how it is compared.
            Some(1 | ..0) | None => {}
        }
    }
}

/// How far one value lies above the one before it; `None` where that cannot be told.
fn step(last: Last, now: Last, is_integer: bool) -> Option<i64> {
    if last.text == now.text {
        return Some(0);
    }
    let (last, now) = (last.number?, now.number?);
    match (i32::try_from(last), i32::try_from(now)) {
        (Ok(last), Ok(now)) if is_integer => Some(now.wrapping_sub(last).into()),
        _ => Some(now.saturating_sub(last)),
    }
}
