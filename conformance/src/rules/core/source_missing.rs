use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-SOURCE-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, REQUIRED Attributes / source",
    title: Text {
        en: "Event without `source`",
        nl: "Gebeurtenis zonder `source`",
    },
    explanation: Text {
        en: "Every event carries a `source`. A JSON null counts as not carrying one.",
        nl: "Elke gebeurtenis heeft een `source`. De JSON-waarde null telt als afwezig.",
    },
    why: Text {
        en: "`source` tells which system an event comes from, and an `id` is unique only together with it. Without it nobody can recognise repeats or ask the publisher.",
        nl: "`source` zegt uit welk systeem een gebeurtenis komt, en een `id` is alleen samen met `source` uniek. Zonder `source` zijn herhalingen niet te herkennen en is de bron niet te bevragen.",
    },
    fix: Text {
        en: "Set `source` to the URI of the system that publishes the event.",
        nl: "Vul `source` met de URI van het systeem dat de gebeurtenis publiceert.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""source":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("source").is_none() {
            found.missing(event, "source");
        }
    }),
};
