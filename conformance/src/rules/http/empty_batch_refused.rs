use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BATCH-4",
    en: Texts {
        title: "Empty batch refused",
        explanation: "A batch may be empty, so a receiver accepts the body `[]`.",
        why: "A sender with nothing to tell answers a request for events with an empty batch. A receiver that calls it an error keeps asking again, or stops.",
        fix: "Read `[]` as a batch of no events, and confirm its receipt.",
    },
    nl: Texts {
        title: "Lege batch geweigerd",
        explanation: "Een batch mag leeg zijn. Een ontvanger accepteert daarom de body `[]`.",
        why: "Een afzender die niets te melden heeft, beantwoordt een vraag om gebeurtenissen met een lege batch. Een ontvanger die dat een fout noemt, blijft opnieuw vragen of stopt ermee.",
        fix: "Lees `[]` als een batch zonder gebeurtenissen en bevestig de ontvangst.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents-batch+json\n\n[]",
    ),
    applies: Applies::In(Protocol::Http, Mode::Batched),
    ..ACCEPTANCE
};
