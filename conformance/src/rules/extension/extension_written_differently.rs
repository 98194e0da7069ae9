use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-USE-1",
    en: Texts {
        title: "Extension written in another way than core attributes",
        explanation: "Extension attributes are written by the same rules as core attributes: in JSON as a member at the top with a plain value. CE-TYPES-1, JSON-TYPE-3 and JSON-ENV-4 report a breach.",
        why: "A library reads and passes on extensions without knowing them. What is wrapped in an object of its own, it cannot find, and a header cannot hold.",
        fix: "Write `\"sequence\": \"1\"` instead of `\"sequence\": {\"value\": \"1\"}`.",
    },
    nl: Texts {
        title: "Extensie anders geschreven dan de attributen van de specificatie",
        explanation: "Extensieattributen worden geschreven volgens dezelfde regels als de attributen van de specificatie: in JSON als veld op het hoogste niveau met een enkelvoudige waarde. CE-TYPES-1, JSON-TYPE-3 en JSON-ENV-4 melden een afwijking.",
        why: "Een bibliotheek leest extensies en geeft ze door zonder ze te kennen. Wat in een eigen object is verpakt, is niet te vinden en past niet in een header.",
        fix: "Schrijf `\"sequence\": \"1\"` in plaats van `\"sequence\": {\"value\": \"1\"}`.",
    },
    good: Example::Event(r#""sequence":"1""#),
    bad: Example::Event(r#""sequence":{"value":"1"}"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(
        &["CE-TYPES-1", "JSON-TYPE-3", "JSON-ENV-4"],
        Scope::Extensions,
    ),
};
