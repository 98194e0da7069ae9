use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEQ-2",
    en: Texts {
        title: "Empty `sequencetype`, or one that is no text",
        explanation: "If present, `sequencetype` is a String with at least one character.",
        why: "`sequencetype` tells how to compare the values of `sequence`. An empty one leaves consumers to guess between text and number, and with that between two orders.",
        fix: "Write `Integer` if the values are counted so, or leave `sequencetype` out.",
    },
    nl: Texts {
        title: "Leeg `sequencetype`, of een `sequencetype` dat geen tekst is",
        explanation: "Als `sequencetype` aanwezig is, is het een tekst van ten minste één teken.",
        why: "`sequencetype` zegt hoe de waarden van `sequence` te vergelijken zijn. Is het leeg, dan moeten afnemers raden tussen tekst en getal, en dus tussen twee volgordes.",
        fix: "Schrijf `Integer` als de waarden zo worden geteld, of laat `sequencetype` weg.",
    },
    good: Example::Event(r#""sequence":"1","sequencetype":"Integer""#),
    bad: Example::Event(r#""sequence":"1","sequencetype":"""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("sequencetype", |ty| !ty.is_empty()));
    }),
};
