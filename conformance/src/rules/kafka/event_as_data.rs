use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-1",
    en: Texts {
        title: "Value of a record in binary mode is not the data",
        explanation: "In binary mode the value of the record is the data, unchanged. Reported where the value is an event in the JSON format with the `id` and `source` of the headers.",
        why: "Consumers hand the value on as the data. An application that expects a document finds an envelope around it.",
        fix: "Write the data alone as the value, or announce the event with `content-type: application/cloudevents+json`.",
    },
    nl: Texts {
        title: "Waarde van een record in binaire modus is niet de data",
        explanation: "In binaire modus is de waarde van het record de data, ongewijzigd. Gemeld als de waarde een gebeurtenis in het JSON-formaat is met `id` en `source` van de headers.",
        why: "Afnemers geven de waarde door als de data. Een toepassing die een document verwacht, vindt er een envelop omheen.",
        fix: "Schrijf alleen de data als waarde, of kondig de gebeurtenis aan met `content-type: application/cloudevents+json`.",
    },
    good: super::datacontenttype_header::RULE.good,
    bad: Example::Message(
        Protocol::Kafka,
        "ce_id: 1\nce_source: urn:nld:kvknr:09220932.zaken\ncontent-type: application/json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Kafka, Mode::Binary),
    check: Check::Message(|reading, found| {
        if reading.body_repeats_headers() {
            found.body(0);
        }
    }),
};
