use crate::grammar::nl_type::versions;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-TYPE-9",
    level: Levels::nl_gov_each(Some(Level::Should), None),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0, 3.3.4 type",
    title: Text {
        en: "Version in `type` without prefix `v` (NL GOV 1.0)",
        nl: "Versie in `type` zonder voorvoegsel `v` (NL GOV 1.0)",
    },
    explanation: Text {
        en: "Under version 1.0 of the profile a version in `type` begins with `v`. A number inside the name is no version.",
        nl: "Volgens versie 1.0 van het profiel begint een versie in `type` met `v`. Een getal midden in de naam is geen versie.",
    },
    why: Text {
        en: "A bare number reads as part of the name, so tools that look for versions do not find it.",
        nl: "Een los getal lijkt een deel van de naam. Hulpmiddelen die naar versies zoeken, vinden het niet.",
    },
    fix: Text {
        en: "Write `nl.brp.huwelijk-voltrokken.v1.2.3`.",
        nl: "Schrijf `nl.brp.huwelijk-voltrokken.v1.2.3`.",
    },
    good: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v1.2.3""#),
    bad: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.1.2.3""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let has_bare = |ty: &str| versions(ty).iter().any(|version| !version.has_prefix);
        let types = event.named("type");
        found.all(types.filter(|ty| ty.text().is_some_and(has_bare)));
    }),
};
