use crate::grammar::integer::is_canonical;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-8",
    en: Texts {
        title: "Integer that is not written in plain digits",
        explanation: "As text, an Integer is decimal digits, with a minus sign in front or without: no plus sign, no leading zeros, no fraction, no exponent. Judged on attributes that are known to be Integers, such as `sampledrate`.",
        why: "`5`, `05` and `+5` are one number and three texts. Receivers that compare texts see three values, and strict ones see no number.",
        fix: "Write the digits alone: `5`.",
    },
    nl: Texts {
        title: "Geheel getal dat niet met alleen cijfers is geschreven",
        explanation: "Als tekst bestaat een geheel getal uit cijfers, met of zonder minteken ervoor: geen plusteken, voorloopnullen, decimalen of exponent. Beoordeeld bij attributen waarvan dit type bekend is, zoals `sampledrate`.",
        why: "`5`, `05` en `+5` zijn één getal en drie teksten. Ontvangers die teksten vergelijken, zien drie waarden, en strenge ontvangers zien geen getal.",
        fix: "Schrijf alleen de cijfers: `5`.",
    },
    good: Example::Message(Protocol::Kafka, "ce_sampledrate: 5"),
    bad: Example::Message(Protocol::Kafka, "ce_sampledrate: +5"),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_misspelt = |text: &str| !is_canonical(text);
        found.all(event.matching("sampledrate", is_misspelt));
        // A draft alone makes this one an Integer.
        let drafted = event.matching("severitynumber", is_misspelt);
        found.noticed().all(drafted);
    }),
};
