use crate::grammar::integer::parse_padded;
use crate::rules::prelude::*;
use crate::rules::sequence::{Place, Sequences};

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEQ-5",
    en: Texts {
        title: "`Integer` sequence that does not start at 1 or does not rise by one",
        explanation: "With `sequencetype` `Integer`, the values of a source start at 1, rise by one, and go on at -2147483648 after 2147483647. An event that is delivered again is passed over; the start and gaps are judged where the stream is complete and is not one of several partitions of Kafka, each of which has an order of its own.",
        why: "A consumer that gets 1 and 3 waits for 2, or asks for it. If the sender skipped 2, it waits for an event that does not exist.",
        fix: "Keep one counter for each `source`, and take a number only together with the event that gets it, in one transaction.",
    },
    nl: Texts {
        title: "`Integer`-reeks die niet bij 1 begint of niet met één oploopt",
        explanation: "Bij `sequencetype` `Integer` beginnen de waarden van een bron bij 1, lopen ze met één op en gaan ze na 2147483647 verder bij -2147483648. Een herhaalde aflevering telt niet mee. Het begin en gaten worden beoordeeld als de reeks volledig is en niet over Kafka-partities is verdeeld; per partitie telt alleen de volgorde.",
        why: "Een afnemer die 1 en 3 ontvangt, wacht op 2 of vraagt ernaar. Heeft de afzender 2 overgeslagen, dan wacht de afnemer op een gebeurtenis die niet bestaat.",
        fix: "Houd per `source` één teller bij, en geef een nummer pas uit in dezelfde transactie als de gebeurtenis die het krijgt.",
    },
    good: Example::Stream(&[
        r#""id":"1","sequence":"1","sequencetype":"Integer""#,
        r#""id":"2","sequence":"2","sequencetype":"Integer""#,
    ]),
    bad: Example::Stream(&[
        r#""id":"1","sequence":"0","sequencetype":"Integer""#,
        r#""id":"2","sequence":"1","sequencetype":"Integer""#,
    ]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|facts: StreamFacts| {
        Box::new(Counters {
            is_complete: facts.is_complete,
            last: Sequences::default(),
        })
    }),
};

#[derive(Debug)]
struct Counters {
    is_complete: bool,
    last: Sequences<i32>,
}

impl Watch for Counters {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        if event.text("sequencetype") != Some("Integer") {
            return;
        }
        let Some(sequence) = event.attribute("sequence") else {
            return;
        };
        let Some(number) = sequence.text().and_then(parse_padded) else {
            return;
        };
        // What is left out of an excerpt, or lies in another partition, is not the sender's gap.
        let shows_all = self.is_complete && !event.is_in_partition();
        let is_broken = match self.last.place(event, number) {
            Some(Place::First) => shows_all && number != 1,
            Some(Place::After(Some(last))) => match number.wrapping_sub(last) {
                1 => false,
                step => shows_all || step <= 0,
            },
            Some(Place::After(None)) | None => false,
        };
        if is_broken {
            found.at(sequence);
        }
    }
}
