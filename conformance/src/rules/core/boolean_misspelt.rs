use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPES-7",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Type System / Boolean",
    title: Text {
        en: "Boolean that is not written as `true` or `false`",
        nl: "Boolean die niet als `true` of `false` is geschreven",
    },
    explanation: Text {
        en: "As text, a Boolean is exactly `true` or `false`, in lower case. Judged on attributes that are known to be Booleans: so far `deprecated`, which comes from a draft, so a breach is a notice.",
        nl: "Als tekst is een Boolean precies `true` of `false`, in kleine letters. Beoordeeld bij attributen waarvan dit type bekend is: tot nu toe `deprecated`, uit een concept. Een afwijking is daarom een opmerking.",
    },
    why: Text {
        en: "Some libraries write `True`. A receiver that compares with `true` takes that for false, or for no Boolean at all.",
        nl: "Sommige bibliotheken schrijven `True`. Een ontvanger die met `true` vergelijkt, leest dat als onwaar of herkent de waarde niet.",
    },
    fix: Text {
        en: "Write `true` or `false`, in JSON without quotes.",
        nl: "Schrijf `true` of `false`, in JSON zonder aanhalingstekens.",
    },
    good: Example::Message(Protocol::Kafka, "ce_deprecated: true"),
    bad: Example::Message(Protocol::Kafka, "ce_deprecated: True"),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_misspelt = |text: &str| !matches!(text, "true" | "false");
        let booleans = event.named("deprecated");
        found
            .noticed()
            .all(booleans.filter(|attribute| attribute.text().is_some_and(is_misspelt)));
    }),
};
