use crate::grammar::integer::is_canonical;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPES-8",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Type System / Integer",
    title: Text {
        en: "Integer that is not written in plain digits",
        nl: "Geheel getal dat niet met alleen cijfers is geschreven",
    },
    explanation: Text {
        en: "As text, an Integer is decimal digits, with a minus sign in front or without: no plus sign, no leading zeros, no fraction, no exponent. Judged on attributes that are known to be Integers, such as `sampledrate`.",
        nl: "Als tekst bestaat een geheel getal uit cijfers, met of zonder minteken ervoor: geen plusteken, voorloopnullen, decimalen of exponent. Beoordeeld bij attributen waarvan dit type bekend is, zoals `sampledrate`.",
    },
    why: Text {
        en: "`5`, `05` and `+5` are one number and three texts. Receivers that compare texts see three values, and strict ones see no number.",
        nl: "`5`, `05` en `+5` zijn één getal en drie teksten. Ontvangers die teksten vergelijken, zien drie waarden, en strenge ontvangers zien geen getal.",
    },
    fix: Text {
        en: "Write the digits alone: `5`.",
        nl: "Schrijf alleen de cijfers: `5`.",
    },
    good: Example::Message(Protocol::Kafka, "ce_sampledrate: 5"),
    bad: Example::Message(Protocol::Kafka, "ce_sampledrate: +5"),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_misspelt = |attribute: &&Attribute<'_>| {
            let text = attribute.text();
            text.is_some_and(|text| !is_canonical(text))
        };
        found.all(event.named("sampledrate").filter(is_misspelt));
        // A draft alone makes this one an Integer.
        let drafted = event.named("severitynumber");
        found.noticed().all(drafted.filter(is_misspelt));
    }),
};
