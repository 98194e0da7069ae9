use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-EXT-1",
    en: Texts {
        title: "Extension with a name or value that no attribute can have",
        explanation: "Extension attributes obey the same rules of naming and typing as the attributes of the specification. CE-NAME-1 and CE-TYPES-1 report a breach.",
        why: "Receivers pass on extensions that they do not know. They can do that only as long as an extension looks like any other attribute.",
        fix: "Choose a name of `a` to `z` and `0` to `9`, and a value that is text, a whole number or a boolean.",
    },
    nl: Texts {
        title: "Extensie met een naam of waarde die geen attribuut kan hebben",
        explanation: "Voor extensieattributen gelden dezelfde regels voor namen en typen als voor de attributen van de specificatie. CE-NAME-1 en CE-TYPES-1 melden een afwijking.",
        why: "Ontvangers geven ook extensies door die zij niet kennen. Dat kan alleen als een extensie eruitziet als elk ander attribuut.",
        fix: "Kies een naam met alleen `a` tot en met `z` en `0` tot en met `9`, en een waarde die tekst, een geheel getal of een boolean is.",
    },
    good: Example::Event(r#""nlbrpnationaliteit":"0083""#),
    bad: Example::Event(r#""nl-brp":"0083""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(&["CE-NAME-1", "CE-TYPES-1"], Scope::Extensions),
};
