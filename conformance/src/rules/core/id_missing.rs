use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-ID-1",
    en: Texts {
        title: "Event without `id`",
        explanation: "Every event carries an `id`. A JSON null counts as not carrying one.",
        why: "Receivers recognise repeats by `source` and `id` together. Without `id` they cannot tell a repeat from a new event, and nobody can trace the event.",
        fix: "Give each event an `id` that is unique within its `source`.",
    },
    nl: Texts {
        title: "Gebeurtenis zonder `id`",
        explanation: "Elke gebeurtenis heeft een `id`. De JSON-waarde null telt als afwezig.",
        why: "Ontvangers herkennen herhalingen aan `source` en `id` samen. Zonder `id` is een herhaling niet van een nieuwe gebeurtenis te onderscheiden en is de gebeurtenis niet te traceren.",
        fix: "Geef elke gebeurtenis een `id` dat uniek is binnen de `source`.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""id":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.missing(event, "id")),
};
