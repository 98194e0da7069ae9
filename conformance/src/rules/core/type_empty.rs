use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPE-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, type",
    title: Text {
        en: "Empty `type`, or a `type` that is no text",
        nl: "Leeg `type`, of een `type` dat geen tekst is",
    },
    explanation: Text {
        en: "`type` is a String with at least one character.",
        nl: "`type` is een tekst van ten minste één teken.",
    },
    why: Text {
        en: "An empty `type` matches no subscription. A number cannot be compared with the names that consumers subscribe to.",
        nl: "Een leeg `type` past bij geen enkel abonnement. Een getal is niet te vergelijken met de namen waarop afnemers zich abonneren.",
    },
    fix: Text {
        en: "Write the name of what happened as text, in JSON with quotes.",
        nl: "Schrijf de naam van wat er is gebeurd als tekst, in JSON tussen aanhalingstekens.",
    },
    good: Example::Event(r#""type":"nl.brp.persoon-verhuisd""#),
    bad: Example::Event(r#""type":"""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("type", |ty| !ty.is_empty()))),
};
