use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-DETECT-1",
    en: Texts {
        title: "Mode not taken from `content-type`",
        explanation: "A header `content-type` that begins with `application/cloudevents` means structured mode. Anything else, or no such header, means binary mode.",
        why: "A reader that judges by the value mistakes JSON data for an event, and overlooks the attributes in the headers.",
        fix: "Decide by the header `content-type` alone; look at the value after that.",
    },
    nl: Texts {
        title: "Modus niet afgeleid uit `content-type`",
        explanation: "Een header `content-type` die begint met `application/cloudevents` betekent gestructureerde modus. Iets anders, of geen zo’n header, betekent binaire modus.",
        why: "Een ontvanger die op de waarde van het record afgaat, ziet JSON-data aan voor een gebeurtenis en mist de attributen in de headers.",
        fix: "Beslis alleen op grond van de header `content-type` en kijk pas daarna naar de waarde.",
    },
    good: super::null_value::RULE.good,
    applies: Applies::On(Protocol::Kafka),
    ..ACCEPTANCE
};
