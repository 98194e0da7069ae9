use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "KAFKA-STR-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Kafka binding 1.0.1/1.0.2, 3.3.2",
    title: Text {
        en: "Value of a structured record not read as the event",
        nl: "Waarde van een gestructureerd record niet gelezen als de gebeurtenis",
    },
    explanation: Text {
        en: "In structured mode the value of the record is the whole event, attributes and data, in the format that `content-type` names.",
        nl: "In gestructureerde modus is de waarde van het record de hele gebeurtenis, attributen en data, in het formaat dat `content-type` noemt.",
    },
    why: Text {
        en: "A consumer that takes the value for the data hands the attributes on as if they were content.",
        nl: "Een afnemer die de waarde voor de data aanziet, geeft de attributen door alsof ze inhoud zijn.",
    },
    fix: Text {
        en: "Read the event from the value, and the data from its member `data` or `data_base64`.",
        nl: "Lees de gebeurtenis uit de waarde, en de data uit het veld `data` of `data_base64` daarvan.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: application/cloudevents+json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    applies: Applies::In(Protocol::Kafka, Mode::Structured),
    ..ACCEPTANCE
};
