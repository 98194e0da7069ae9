use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-ATTR-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Context Attributes",
    title: Text {
        en: "Event without all required attributes",
        nl: "Gebeurtenis zonder alle verplichte attributen",
    },
    explanation: Text {
        en: "An event has the attributes `specversion`, `id`, `source` and `type`. Which one is missing is reported by the rule about it.",
        nl: "Een gebeurtenis heeft de attributen `specversion`, `id`, `source` en `type`. Welk attribuut ontbreekt, meldt de regel over dat attribuut.",
    },
    why: Text {
        en: "An event that lacks one of them is no CloudEvent, and receivers refuse it.",
        nl: "Een gebeurtenis zonder een van deze attributen is geen CloudEvent en wordt door ontvangers geweigerd.",
    },
    fix: Text {
        en: "Give the event all four attributes.",
        nl: "Geef de gebeurtenis alle vier de attributen.",
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
