use crate::grammar::nl_type::versions;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-TYPE-8",
    level: Levels::nl_gov_each(Some(Level::Should), None),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0, 3.3.4 type",
    title: Text {
        en: "Version in `type` does not have three numbers (NL GOV 1.0)",
        nl: "Versie in `type` bestaat niet uit drie nummers (NL GOV 1.0)",
    },
    explanation: Text {
        en: "Under version 1.0 of the profile a version in `type` follows semantic versioning: major, minor and patch. Version 1.1 wants a single number instead.",
        nl: "Volgens versie 1.0 van het profiel volgt een versie in `type` semantic versioning: major, minor en patch. Versie 1.1 vraagt juist één nummer.",
    },
    why: Text {
        en: "From `v2` alone a consumer cannot tell whether a change concerns it.",
        nl: "Aan `v2` alleen kan een afnemer niet zien of een wijziging hem raakt.",
    },
    fix: Text {
        en: "Write `nl.brp.huwelijk-voltrokken.v0.1.0` while you follow 1.0, or move to 1.1 and write `v2`.",
        nl: "Schrijf `nl.brp.huwelijk-voltrokken.v0.1.0` zolang u 1.0 volgt, of ga over op 1.1 en schrijf `v2`.",
    },
    good: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v0.1.0""#),
    bad: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v2""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let has_other = |ty: &str| versions(ty).iter().any(|version| version.numbers != 3);
        let types = event.named("type");
        found.all(types.filter(|ty| ty.text().is_some_and(has_other)));
    }),
};
