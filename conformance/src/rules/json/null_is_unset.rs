use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-NULL-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 2.2 Type System Mapping",
    title: Text {
        en: "Null taken for a value",
        nl: "Null opgevat als waarde",
    },
    explanation: Text {
        en: "A reader treats an attribute whose value is null as if the member were not there.",
        nl: "Een ontvanger behandelt een attribuut met de waarde null alsof het veld er niet staat.",
    },
    why: Text {
        en: "Encoders may write unset attributes as null, so a reader that refuses null refuses valid events.",
        nl: "Afzenders mogen niet-ingevulde attributen als null schrijven. Wie null weigert, weigert dus geldige gebeurtenissen.",
    },
    fix: Text {
        en: "Read null as absent.",
        nl: "Lees null als afwezig.",
    },
    good: Example::Event(r#""geheimnummer":null"#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
