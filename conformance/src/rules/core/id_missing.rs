use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-ID-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, REQUIRED Attributes / id",
    title: Text {
        en: "Event without `id`",
        nl: "Gebeurtenis zonder `id`",
    },
    explanation: Text {
        en: "Every event carries an `id`. A JSON null counts as not carrying one.",
        nl: "Elke gebeurtenis heeft een `id`. De JSON-waarde null telt als afwezig.",
    },
    why: Text {
        en: "Receivers recognise repeats by `source` and `id` together. Without `id` they cannot tell a repeat from a new event, and nobody can trace the event.",
        nl: "Ontvangers herkennen herhalingen aan `source` en `id` samen. Zonder `id` is een herhaling niet van een nieuwe gebeurtenis te onderscheiden en is de gebeurtenis niet te traceren.",
    },
    fix: Text {
        en: "Give each event an `id` that is unique within its `source`.",
        nl: "Geef elke gebeurtenis een `id` dat uniek is binnen de `source`.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""id":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("id").is_none() {
            found.missing(event, "id");
        }
    }),
};
