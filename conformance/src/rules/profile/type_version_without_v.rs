use crate::grammar::nl_type::versions;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-9",
    en: Texts {
        title: "Version in `type` without prefix `v` (NL GOV 1.0)",
        explanation: "Under version 1.0 of the profile a version in `type` begins with `v`. A number inside the name is no version.",
        why: "A bare number reads as part of the name, so tools that look for versions do not find it.",
        fix: "Write `nl.brp.huwelijk-voltrokken.v1.2.3`.",
    },
    nl: Texts {
        title: "Versie in `type` zonder voorvoegsel `v` (NL GOV 1.0)",
        explanation: "Volgens versie 1.0 van het profiel begint een versie in `type` met `v`. Een getal midden in de naam is geen versie.",
        why: "Een los getal lijkt een deel van de naam. Hulpmiddelen die naar versies zoeken, vinden het niet.",
        fix: "Schrijf `nl.brp.huwelijk-voltrokken.v1.2.3`.",
    },
    good: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v1.2.3""#),
    bad: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.1.2.3""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let has_bare = |ty: &str| versions(ty).iter().any(|version| !version.has_prefix);
        found.all(event.matching("type", has_bare));
    }),
};
