use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-ATTR-1",
    en: Texts {
        title: "Event without all required attributes",
        explanation: "An event has the attributes `specversion`, `id`, `source` and `type`. Which one is missing is reported by the rule about it.",
        why: "An event that lacks one of them is no CloudEvent, and receivers refuse it.",
        fix: "Give the event all four attributes.",
    },
    nl: Texts {
        title: "Gebeurtenis zonder alle verplichte attributen",
        explanation: "Een gebeurtenis heeft de attributen `specversion`, `id`, `source` en `type`. Welk attribuut ontbreekt, meldt de regel over dat attribuut.",
        why: "Een gebeurtenis zonder een van deze attributen is geen CloudEvent en wordt door ontvangers geweigerd.",
        fix: "Geef de gebeurtenis alle vier de attributen.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""id":null"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(
        &["CE-ID-1", "CE-SOURCE-1", "CE-SPECVERSION-1", "CE-TYPE-1"],
        Scope::All,
    ),
};
