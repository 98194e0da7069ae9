use crate::json::{self, Document};
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BATCH-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.3, 3.3.1",
    title: Text {
        en: "Batch announced as a single event",
        nl: "Batch aangekondigd als één gebeurtenis",
    },
    explanation: Text {
        en: "In batched mode `Content-Type` is the media type of a batch format. Reported where the body is an array of objects, and the content type announces one event.",
        nl: "In batchmodus is `Content-Type` het mediatype van een batchformaat. Gemeld als de body een lijst van objecten is en het content type één gebeurtenis aankondigt.",
    },
    why: Text {
        en: "A receiver expects an object and refuses the array. All events of the batch are lost at once.",
        nl: "Een ontvanger verwacht een object en weigert de lijst. Alle gebeurtenissen van de batch gaan in één keer verloren.",
    },
    fix: Text {
        en: "Announce the batch with `Content-Type: application/cloudevents-batch+json`.",
        nl: "Kondig de batch aan met `Content-Type: application/cloudevents-batch+json`.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents-batch+json\n\n[{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}]",
    ),
    bad: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json\n\n[{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}]",
    ),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Http),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    let is_array = |unreadable: &Unreadable<'_>| {
        matches!(unreadable, Unreadable::NotAnObject { raw: "[", .. })
    };
    if reading.mode != Mode::Structured || !reading.unreadable.iter().any(is_array) {
        return;
    }
    if let Ok(Document::Array(elements)) = json::parse(reading.capture.body())
        && elements.iter().all(|element| element.raw.starts_with('{'))
    {
        for header in reading.capture.headers_named("content-type") {
            found.header(header);
        }
    }
}
