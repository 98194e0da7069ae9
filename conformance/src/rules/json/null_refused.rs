use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-NULL-2",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 2.2 and 3",
    title: Text {
        en: "Optional attribute with null refused",
        nl: "Optioneel attribuut met null geweigerd",
    },
    explanation: Text {
        en: "A sender may write an optional or extension attribute that is not set as null. Receivers accept that.",
        nl: "Een afzender mag een niet-ingevuld optioneel attribuut of extensieattribuut als null schrijven. Ontvangers accepteren dat.",
    },
    why: Text {
        en: "Many libraries write every member of a class. A receiver that refuses null turns away all events of such senders.",
        nl: "Veel bibliotheken schrijven elk veld van een klasse. Een ontvanger die null weigert, wijst alle gebeurtenissen van zulke afzenders af.",
    },
    fix: Text {
        en: "Read a null as if the member were not there.",
        nl: "Lees null alsof het veld er niet staat.",
    },
    good: Example::Event(r#""subject":null,"time":null"#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
