use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "EXT-SEQ-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Extension sequence 1.0.1/1.0.2; NL GOV 3.5.1.2",
    title: Text {
        en: "Empty `sequencetype`, or one that is no text",
        nl: "Leeg `sequencetype`, of een `sequencetype` dat geen tekst is",
    },
    explanation: Text {
        en: "If present, `sequencetype` is a String with at least one character.",
        nl: "Als `sequencetype` aanwezig is, is het een tekst van ten minste één teken.",
    },
    why: Text {
        en: "`sequencetype` tells how to compare the values of `sequence`. An empty one leaves consumers to guess between text and number, and with that between two orders.",
        nl: "`sequencetype` zegt hoe de waarden van `sequence` te vergelijken zijn. Is het leeg, dan moeten afnemers raden tussen tekst en getal, en dus tussen twee volgordes.",
    },
    fix: Text {
        en: "Write `Integer` if the values are counted so, or leave `sequencetype` out.",
        nl: "Schrijf `Integer` als de waarden zo worden geteld, of laat `sequencetype` weg.",
    },
    good: Example::Event(r#""sequence":"1","sequencetype":"Integer""#),
    bad: Example::Event(r#""sequence":"1","sequencetype":"""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("sequencetype", |ty| !ty.is_empty()));
    }),
};
