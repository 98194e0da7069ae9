use crate::json::{self, Document};
use crate::reading::looks_like_an_event;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BATCH-3",
    en: Texts {
        title: "Batch announced as a single event",
        explanation: "In batched mode `Content-Type` is the media type of a batch format. Reported where the body is an array of objects and the content type announces one event, and where it is an array of events and the content type announces none.",
        why: "A receiver expects an object and refuses the array. All events of the batch are lost at once.",
        fix: "Announce the batch with `Content-Type: application/cloudevents-batch+json`.",
    },
    nl: Texts {
        title: "Batch aangekondigd als één gebeurtenis",
        explanation: "In batchmodus is `Content-Type` het mediatype van een batchformaat. Gemeld als de body een lijst van objecten is en het content type één gebeurtenis aankondigt, en als het een lijst van gebeurtenissen is en het content type er geen aankondigt.",
        why: "Een ontvanger verwacht een object en weigert de lijst. Alle gebeurtenissen van de batch gaan in één keer verloren.",
        fix: "Kondig de batch aan met `Content-Type: application/cloudevents-batch+json`.",
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
    let capture = reading.capture;
    let is_announced = match reading.mode {
        _ if !capture.body().trim_ascii_start().starts_with(b"[") => return,
        Mode::Structured => true,
        // An answer may list events.
        Mode::NotAnEvent if capture.status.is_none() => false,
        _ => return,
    };
    let Ok(Document::Array(elements)) = json::parse(capture.body()) else {
        return;
    };
    let mut raws = elements.iter().map(|element| element.raw);
    if is_announced {
        if raws.all(|raw| raw.starts_with('{')) {
            for header in capture.headers_named("content-type") {
                found.header(header);
            }
        }
    } else if !elements.is_empty() && raws.all(|raw| looks_like_an_event(raw.as_bytes())) {
        // The codec sees no event here.
        found.tolerated().header_of(capture, "content-type");
    }
}
