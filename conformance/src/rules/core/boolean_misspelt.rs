use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-7",
    en: Texts {
        title: "Boolean that is not written as `true` or `false`",
        explanation: "As text, a Boolean is exactly `true` or `false`, in lower case. Judged on attributes that are known to be Booleans: so far `deprecated`, which comes from a draft, so a breach is a notice.",
        why: "Some libraries write `True`. A receiver that compares with `true` takes that for false, or for no Boolean at all.",
        fix: "Write `true` or `false`, in JSON without quotes.",
    },
    nl: Texts {
        title: "Boolean die niet als `true` of `false` is geschreven",
        explanation: "Als tekst is een Boolean precies `true` of `false`, in kleine letters. Beoordeeld bij attributen waarvan dit type bekend is: tot nu toe `deprecated`, uit een concept. Een afwijking is daarom een opmerking.",
        why: "Sommige bibliotheken schrijven `True`. Een ontvanger die met `true` vergelijkt, leest dat als onwaar of herkent de waarde niet.",
        fix: "Schrijf `true` of `false`, in JSON zonder aanhalingstekens.",
    },
    good: Example::Message(Protocol::Kafka, "ce_deprecated: true"),
    bad: Example::Message(Protocol::Kafka, "ce_deprecated: True"),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_misspelt = |text: &str| !matches!(text, "true" | "false");
        let booleans = event.matching("deprecated", is_misspelt);
        found.noticed().all(booleans);
    }),
};
