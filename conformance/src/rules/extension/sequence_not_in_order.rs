//! EXT-SEQ-6: a sequence that text does not order.

use crate::reading::Event;
use crate::rule::{
    Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, StreamFacts, Text, Watch,
};
use crate::rules::sequence::{Place, Sequences};

pub(crate) const RULE: Rule = Rule {
    id: "EXT-SEQ-6",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Extension sequence 1.0.1/1.0.2; NL GOV 3.5.1.1",
    title: Text {
        en: "`sequence` that sorts before an earlier one",
        nl: "`sequence` die bij sorteren vóór een eerdere komt",
    },
    explanation: Text {
        en: "The values of `sequence` of a source are in order when they are compared as text. Values of `sequencetype` `Integer` are compared as numbers; EXT-SEQ-5 judges those.",
        nl: "De waarden van `sequence` van een bron staan op volgorde als ze als tekst worden vergeleken. Bij `sequencetype` `Integer` worden ze als getal vergeleken; EXT-SEQ-5 beoordeelt die.",
    },
    why: Text {
        en: "As text, `10` comes before `9`. A consumer that sorts handles the tenth event before the ninth, and an old address overwrites the new one.",
        nl: "Als tekst komt `10` vóór `9`. Een afnemer die sorteert, verwerkt de tiende gebeurtenis vóór de negende, en een oud adres overschrijft het nieuwe.",
    },
    fix: Text {
        en: "Pad numbers with zeros to one length, such as `0009` and `0010`, or announce them with `sequencetype` `Integer`, with a capital I.",
        nl: "Vul getallen met nullen aan tot één lengte, zoals `0009` en `0010`, of geef `sequencetype` `Integer` mee, met een hoofdletter I.",
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
        {
            found.at(sequence);
        }
    }
}
