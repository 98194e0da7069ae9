use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-STR-4",
    en: Texts {
        title: "Structured record with a null value",
        explanation: "In structured mode a record always has a value, also for an event without data: the value is the event itself.",
        why: "There is no event to read. On a compacted topic the record is a tombstone, and deletes what was stored under its key.",
        fix: "Write the event as the value; publish a tombstone without `content-type: application/cloudevents+json`.",
    },
    nl: Texts {
        title: "Gestructureerd record met de waarde null",
        explanation: "In gestructureerde modus heeft een record altijd een waarde, ook bij een gebeurtenis zonder data: de waarde is de gebeurtenis zelf.",
        why: "Er is geen gebeurtenis te lezen. Op een topic met log compaction is het record een tombstone, die wist wat onder de sleutel stond.",
        fix: "Schrijf de gebeurtenis als waarde. Publiceer een tombstone zonder `content-type: application/cloudevents+json`.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: application/cloudevents+json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    bad: Example::Message(
        Protocol::Kafka,
        "content-type: application/cloudevents+json",
    ),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Kafka, Mode::Structured),
    check: Check::Message(|reading, found| {
        if reading.capture.body.is_none() {
            found.message("null");
        }
    }),
};
