use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-NULL-2",
    en: Texts {
        title: "Optional attribute with null refused",
        explanation: "A sender may write an optional or extension attribute that is not set as null. Receivers accept that.",
        why: "Many libraries write every member of a class. A receiver that refuses null turns away all events of such senders.",
        fix: "Read a null as if the member were not there.",
    },
    nl: Texts {
        title: "Optioneel attribuut met null geweigerd",
        explanation: "Een afzender mag een niet-ingevuld optioneel attribuut of extensieattribuut als null schrijven. Ontvangers accepteren dat.",
        why: "Veel bibliotheken schrijven elk veld van een klasse. Een ontvanger die null weigert, wijst alle gebeurtenissen van zulke afzenders af.",
        fix: "Lees null alsof het veld er niet staat.",
    },
    good: Example::Event(r#""subject":null,"time":null"#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
