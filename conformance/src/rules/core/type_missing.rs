use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPE-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, REQUIRED Attributes / type",
    title: Text {
        en: "Event without `type`",
        nl: "Gebeurtenis zonder `type`",
    },
    explanation: Text {
        en: "Every event carries a `type`. A JSON null counts as not carrying one.",
        nl: "Elke gebeurtenis heeft een `type`. De JSON-waarde null telt als afwezig.",
    },
    why: Text {
        en: "Subscriptions select events by `type`. Without one, nobody can tell what happened and which consumer should get it.",
        nl: "Abonnementen selecteren gebeurtenissen op `type`. Zonder `type` is niet te zien wat er is gebeurd en voor welke afnemer de gebeurtenis is bestemd.",
    },
    fix: Text {
        en: "Set `type` to the name of what happened, such as `nl.brp.persoon-verhuisd`.",
        nl: "Vul `type` met de naam van wat er is gebeurd, bijvoorbeeld `nl.brp.persoon-verhuisd`.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""type":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("type").is_none() {
            found.missing(event, "type");
        }
    }),
};
