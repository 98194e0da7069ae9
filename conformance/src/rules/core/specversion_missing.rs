use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-SPECVERSION-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, REQUIRED Attributes / specversion",
    title: Text {
        en: "Event without `specversion`",
        nl: "Gebeurtenis zonder `specversion`",
    },
    explanation: Text {
        en: "Every event carries a `specversion`. A JSON null counts as not carrying one.",
        nl: "Elke gebeurtenis heeft een `specversion`. De JSON-waarde null telt als afwezig.",
    },
    why: Text {
        en: "Receivers decide by `specversion` how to read an event, and whether a message is one at all. Without it they refuse the message.",
        nl: "Aan `specversion` zien ontvangers hoe zij een gebeurtenis moeten lezen, en of een bericht er wel een is. Zonder `specversion` weigeren zij het bericht.",
    },
    fix: Text {
        en: "Add `\"specversion\": \"1.0\"`.",
        nl: "Voeg `\"specversion\": \"1.0\"` toe.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""specversion":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("specversion").is_none() {
            found.missing(event, "specversion");
        }
    }),
};
