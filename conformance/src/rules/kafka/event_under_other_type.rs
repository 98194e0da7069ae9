use super::datacontenttype_header::misspelt;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-STR-1",
    en: Texts {
        title: "Event in the value under another content type",
        explanation: "In structured mode the header `content-type`, if present, is the media type of an event format. Reported where the value is an object with all required attributes, and the header announces no event; without any header it is a notice, because the text leaves the header optional.",
        why: "To a consumer this is a record in binary mode without attributes, so no event. It skips it or stops there.",
        fix: "Publish `content-type: application/cloudevents+json` with the event.",
    },
    nl: Texts {
        title: "Gebeurtenis in de waarde onder een ander content type",
        explanation: "In gestructureerde modus is de header `content-type`, als die er is, het mediatype van een gebeurtenisformaat. Gemeld als de waarde een object met alle verplichte attributen is en de header geen gebeurtenis aankondigt. Ontbreekt de header, dan is dat een opmerking, omdat de tekst hem niet verplicht.",
        why: "Voor een afnemer is dit een record in binaire modus zonder attributen, en dus geen gebeurtenis. Hij slaat het over of loopt erop vast.",
        fix: "Publiceer de gebeurtenis met `content-type: application/cloudevents+json`.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: application/cloudevents+json; charset=UTF-8\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    bad: Example::Message(
        Protocol::Kafka,
        "=\ncontent-type: application/json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Kafka),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    if !reading.is_unannounced() {
        return;
    }
    if !reading.capture.has("content-type") {
        let mut meant = misspelt(reading);
        return match meant.next() {
            Some(header) => found.noticed().header(header),
            None => found.noticed().header_of(reading.capture, "content-type"),
        };
    }
    for header in reading.capture.headers_named("content-type") {
        found.header(header);
    }
}
