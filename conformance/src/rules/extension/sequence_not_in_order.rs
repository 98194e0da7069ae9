//! The clause demands text that can be ordered, and leaves the meaning of values under a
//! `sequencetype` that it does not define to an agreement between sender and consumer. The example of
//! the NL GOV profile spells the defined `Integer` as `integer`. Whoever copies it counts 9, 10 and
//! means numbers; nothing forbids another reading of a word that is not defined, so whole numbers
//! under any other `sequencetype` are in order when they rise as numbers. Without a `sequencetype`
//! there is no such word, and text it is.

use crate::rules::prelude::*;
use crate::rules::sequence::{Place, Sequences};

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEQ-6",
    en: Texts {
        title: "`sequence` that sorts before an earlier one",
        explanation: "The values of `sequence` of a source are in order when they are compared as text. Values of `sequencetype` `Integer` are compared as numbers; EXT-SEQ-5 judges those. Under any other `sequencetype`, such as the `integer` of the profile's own example, whole numbers that rise as numbers are in order too.",
        why: "As text, `10` comes before `9`. A consumer that sorts handles the tenth event before the ninth, and an old address overwrites the new one.",
        fix: "Pad numbers with zeros to one length, such as `0009` and `0010`, or announce them with `sequencetype` `Integer`, with a capital I.",
    },
    nl: Texts {
        title: "`sequence` die bij sorteren vóór een eerdere komt",
        explanation: "De waarden van `sequence` van een bron staan op volgorde als ze als tekst worden vergeleken. Bij `sequencetype` `Integer` worden ze als getal vergeleken; EXT-SEQ-5 beoordeelt die. Bij een ander `sequencetype`, zoals `integer` in het voorbeeld van het profiel zelf, staan gehele getallen ook op volgorde als ze als getal oplopen.",
        why: "Als tekst komt `10` vóór `9`. Een afnemer die sorteert, verwerkt de tiende gebeurtenis vóór de negende, en een oud adres overschrijft het nieuwe.",
        fix: "Vul getallen met nullen aan tot één lengte, zoals `0009` en `0010`, of geef `sequencetype` `Integer` mee, met een hoofdletter I.",
    },
    good: Example::Stream(&[r#""id":"1","sequence":"09""#, r#""id":"2","sequence":"10""#]),
    bad: Example::Stream(&[r#""id":"1","sequence":"9""#, r#""id":"2","sequence":"10""#]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|_: StreamFacts| Box::new(Last::default())),
};

/// How many bytes of a value are remembered; values that agree so far count as in order.
const COMPARED: usize = 64;

#[derive(Debug, Default)]
struct Last(Sequences<Vec<u8>>);

impl Watch for Last {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        if event.text("sequencetype") == Some("Integer") {
            return;
        }
        let Some(sequence) = event.attribute("sequence") else {
            return;
        };
        let Some(text) = sequence.text() else {
            return;
        };
        let compared: Vec<u8> = text.bytes().take(COMPARED).collect();
        if let Some(Place::After(Some(last))) = self.0.place(event, compared.clone())
            && compared < last
            && !(event.text("sequencetype").is_some() && rises(&last, &compared))
        {
            found.at(sequence);
        }
    }
}

/// Whether two texts are whole numbers, the second one above the first.
fn rises(last: &[u8], now: &[u8]) -> bool {
    let number = |text| str::from_utf8(text).ok()?.parse::<i128>().ok();
    number(last)
        .zip(number(now))
        .is_some_and(|(last, now)| last < now)
}
