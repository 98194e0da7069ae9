use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-STR-2",
    en: Texts {
        title: "Value of a structured record not read as the event",
        explanation: "In structured mode the value of the record is the whole event, attributes and data, in the format that `content-type` names.",
        why: "A consumer that takes the value for the data hands the attributes on as if they were content.",
        fix: "Read the event from the value, and the data from its member `data` or `data_base64`.",
    },
    nl: Texts {
        title: "Waarde van een gestructureerd record niet gelezen als de gebeurtenis",
        explanation: "In gestructureerde modus is de waarde van het record de hele gebeurtenis, attributen en data, in het formaat dat `content-type` noemt.",
        why: "Een afnemer die de waarde voor de data aanziet, geeft de attributen door alsof ze inhoud zijn.",
        fix: "Lees de gebeurtenis uit de waarde, en de data uit het veld `data` of `data_base64` daarvan.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: application/cloudevents+json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    applies: Applies::In(Protocol::Kafka, Mode::Structured),
    ..ACCEPTANCE
};
