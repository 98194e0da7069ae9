use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-NULL-1",
    en: Texts {
        title: "Null taken for a value",
        explanation: "A reader treats an attribute whose value is null as if the member were not there.",
        why: "Encoders may write unset attributes as null, so a reader that refuses null refuses valid events.",
        fix: "Read null as absent.",
    },
    nl: Texts {
        title: "Null opgevat als waarde",
        explanation: "Een ontvanger behandelt een attribuut met de waarde null alsof het veld er niet staat.",
        why: "Afzenders mogen niet-ingevulde attributen als null schrijven. Wie null weigert, weigert dus geldige gebeurtenissen.",
        fix: "Lees null als afwezig.",
    },
    good: Example::Event(r#""geheimnummer":null"#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
