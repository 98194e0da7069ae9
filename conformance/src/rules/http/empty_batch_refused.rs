use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BATCH-4",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.3.2",
    title: Text {
        en: "Empty batch refused",
        nl: "Lege batch geweigerd",
    },
    explanation: Text {
        en: "A batch may be empty, so a receiver accepts the body `[]`.",
        nl: "Een batch mag leeg zijn. Een ontvanger accepteert daarom de body `[]`.",
    },
    why: Text {
        en: "A sender with nothing to tell answers a request for events with an empty batch. A receiver that calls it an error keeps asking again, or stops.",
        nl: "Een afzender die niets te melden heeft, beantwoordt een vraag om gebeurtenissen met een lege batch. Een ontvanger die dat een fout noemt, blijft opnieuw vragen of stopt ermee.",
    },
    fix: Text {
        en: "Read `[]` as a batch of no events, and confirm its receipt.",
        nl: "Lees `[]` als een batch zonder gebeurtenissen en bevestig de ontvangst.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents-batch+json\n\n[]",
    ),
    applies: Applies::In(Protocol::Http, Mode::Batched),
    ..ACCEPTANCE
};
