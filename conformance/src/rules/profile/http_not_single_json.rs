use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-GL-HTTP-2",
    en: Texts {
        title: "Batch, or a format other than JSON, over HTTP",
        explanation: "Over HTTP the guideline asks for the JSON format with one event per request.",
        why: "A target answers a batch with one status. When one of its events is bad, the sender cannot tell which, and sends all of them again.",
        fix: "Send each event in a request of its own, as `application/cloudevents+json`.",
    },
    nl: Texts {
        title: "Batch of een ander formaat dan JSON via HTTP",
        explanation: "Voor HTTP vraagt de richtlijn om het JSON-formaat met één gebeurtenis per verzoek.",
        why: "Een ontvanger beantwoordt een batch met één status. Is één gebeurtenis fout, dan weet de afzender niet welke en verstuurt hij alles opnieuw.",
        fix: "Verstuur elke gebeurtenis in een eigen verzoek, als `application/cloudevents+json`.",
    },
    good: super::http_binary_mode::RULE.good,
    bad: Example::Message(
        Protocol::Http,
        "Content-Type: application/cloudevents-batch+json\n\n[]",
    ),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Http),
    check: Check::Message(|reading, found| {
        // What a content coding hides may be a single event in JSON.
        let is_other = reading.mode == Mode::Unsupported && !reading.capture.is_coded();
        if is_other || reading.mode == Mode::Batched {
            found.header_of(reading.capture, "Content-Type");
        }
    }),
};
