use crate::grammar::nl_type::versions;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-8",
    en: Texts {
        title: "Version in `type` does not have three numbers (NL GOV 1.0)",
        explanation: "Under version 1.0 of the profile a version in `type` follows semantic versioning: major, minor and patch. Version 1.1 wants a single number instead.",
        why: "From `v2` alone a consumer cannot tell whether a change concerns it.",
        fix: "Write `nl.brp.huwelijk-voltrokken.v0.1.0` while you follow 1.0, or move to 1.1 and write `v2`.",
    },
    nl: Texts {
        title: "Versie in `type` bestaat niet uit drie nummers (NL GOV 1.0)",
        explanation: "Volgens versie 1.0 van het profiel volgt een versie in `type` semantic versioning: major, minor en patch. Versie 1.1 vraagt juist één nummer.",
        why: "Aan `v2` alleen kan een afnemer niet zien of een wijziging hem raakt.",
        fix: "Schrijf `nl.brp.huwelijk-voltrokken.v0.1.0` zolang u 1.0 volgt, of ga over op 1.1 en schrijf `v2`.",
    },
    good: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v0.1.0""#),
    bad: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v2""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let has_other = |ty: &str| versions(ty).iter().any(|version| version.numbers != 3);
        found.all(event.matching("type", has_other));
    }),
};
