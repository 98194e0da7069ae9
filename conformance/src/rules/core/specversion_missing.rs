use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SPECVERSION-1",
    en: Texts {
        title: "Event without `specversion`",
        explanation: "Every event carries a `specversion`. A JSON null counts as not carrying one.",
        why: "Receivers decide by `specversion` how to read an event, and whether a message is one at all. Without it they refuse the message.",
        fix: "Add `\"specversion\": \"1.0\"`.",
    },
    nl: Texts {
        title: "Gebeurtenis zonder `specversion`",
        explanation: "Elke gebeurtenis heeft een `specversion`. De JSON-waarde null telt als afwezig.",
        why: "Aan `specversion` zien ontvangers hoe zij een gebeurtenis moeten lezen, en of een bericht er wel een is. Zonder `specversion` weigeren zij het bericht.",
        fix: "Voeg `\"specversion\": \"1.0\"` toe.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""specversion":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.missing(event, "specversion")),
};
