use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-BATCH-2",
    en: Texts {
        title: "Batch under the media type of a single event",
        explanation: "The media type of a batch is `application/cloudevents-batch+json`. `application/cloudevents+json` announces one object.",
        why: "A receiver expects an object, finds an array and refuses it, with all the events in it.",
        fix: "Announce the batch as `application/cloudevents-batch+json`; on Kafka and NATS, which have no batches, send one event per message.",
    },
    nl: Texts {
        title: "Batch onder het mediatype van één gebeurtenis",
        explanation: "Het mediatype van een batch is `application/cloudevents-batch+json`. `application/cloudevents+json` kondigt één object aan.",
        why: "Een ontvanger verwacht een object, vindt een lijst en weigert die, met alle gebeurtenissen erin.",
        fix: "Kondig de batch aan als `application/cloudevents-batch+json`. Kafka en NATS kennen geen batches: verstuur daar één gebeurtenis per bericht.",
    },
    good: super::batch_not_events::RULE.good,
    applies: Applies::Json,
    ..crate::rules::http::batch_as_one_event::RULE
};
