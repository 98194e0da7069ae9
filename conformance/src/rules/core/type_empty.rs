use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPE-2",
    en: Texts {
        title: "Empty `type`, or a `type` that is no text",
        explanation: "`type` is a String with at least one character.",
        why: "An empty `type` matches no subscription. A number cannot be compared with the names that consumers subscribe to.",
        fix: "Write the name of what happened as text, in JSON with quotes.",
    },
    nl: Texts {
        title: "Leeg `type`, of een `type` dat geen tekst is",
        explanation: "`type` is een tekst van ten minste één teken.",
        why: "Een leeg `type` past bij geen enkel abonnement. Een getal is niet te vergelijken met de namen waarop afnemers zich abonneren.",
        fix: "Schrijf de naam van wat er is gebeurd als tekst, in JSON tussen aanhalingstekens.",
    },
    good: Example::Event(r#""type":"nl.brp.persoon-verhuisd""#),
    bad: Example::Event(r#""type":"""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("type", |ty| !ty.is_empty()))),
};
