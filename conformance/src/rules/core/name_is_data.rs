use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-NAME-5",
    en: Texts {
        title: "Attribute called `data`",
        explanation: "No attribute is called `data`, because the JSON format keeps that name for the payload. It happens in headers: `ce_data` on Kafka, `ce-data` on HTTP and NATS.",
        why: "Written as JSON, the attribute and the payload would be one member, and one of the two gets lost. Receivers therefore refuse the event.",
        fix: "Rename the header, or send the value as the body of the message.",
    },
    nl: Texts {
        title: "Attribuut met de naam `data`",
        explanation: "Geen attribuut heet `data`, want in het JSON-formaat is die naam voor de inhoud van de gebeurtenis. Het komt voor in headers: `ce_data` bij Kafka, `ce-data` bij HTTP en NATS.",
        why: "In JSON zouden het attribuut en de inhoud hetzelfde veld zijn en gaat een van beide verloren. Ontvangers weigeren de gebeurtenis daarom.",
        fix: "Hernoem de header, of verstuur de waarde als inhoud van het bericht.",
    },
    good: Example::Message(Protocol::Kafka, "ce_mydata: a"),
    bad: Example::Message(Protocol::Kafka, "ce_data: a"),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        for attribute in event.named("data") {
            found.name_of(attribute);
        }
    }),
};
