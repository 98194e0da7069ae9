use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SOURCE-1",
    en: Texts {
        title: "Event without `source`",
        explanation: "Every event carries a `source`. A JSON null counts as not carrying one.",
        why: "`source` tells which system an event comes from, and an `id` is unique only together with it. Without it nobody can recognise repeats or ask the publisher.",
        fix: "Set `source` to the URI of the system that publishes the event.",
    },
    nl: Texts {
        title: "Gebeurtenis zonder `source`",
        explanation: "Elke gebeurtenis heeft een `source`. De JSON-waarde null telt als afwezig.",
        why: "`source` zegt uit welk systeem een gebeurtenis komt, en een `id` is alleen samen met `source` uniek. Zonder `source` zijn herhalingen niet te herkennen en is de bron niet te bevragen.",
        fix: "Vul `source` met de URI van het systeem dat de gebeurtenis publiceert.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""source":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.missing(event, "source")),
};
