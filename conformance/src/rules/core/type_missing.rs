use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPE-1",
    en: Texts {
        title: "Event without `type`",
        explanation: "Every event carries a `type`. A JSON null counts as not carrying one.",
        why: "Subscriptions select events by `type`. Without one, nobody can tell what happened and which consumer should get it.",
        fix: "Set `type` to the name of what happened, such as `nl.brp.persoon-verhuisd`.",
    },
    nl: Texts {
        title: "Gebeurtenis zonder `type`",
        explanation: "Elke gebeurtenis heeft een `type`. De JSON-waarde null telt als afwezig.",
        why: "Abonnementen selecteren gebeurtenissen op `type`. Zonder `type` is niet te zien wat er is gebeurd en voor welke afnemer de gebeurtenis is bestemd.",
        fix: "Vul `type` met de naam van wat er is gebeurd, bijvoorbeeld `nl.brp.persoon-verhuisd`.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""type":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.missing(event, "type")),
};
