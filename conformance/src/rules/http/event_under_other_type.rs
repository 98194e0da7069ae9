use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-STR-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.2.1",
    title: Text {
        en: "Event in the body under another content type",
        nl: "Gebeurtenis in de body onder een ander content type",
    },
    explanation: Text {
        en: "In structured mode `Content-Type` is the media type of an event format. Reported where the body is an object with all required attributes, and the content type announces no event.",
        nl: "In gestructureerde modus is `Content-Type` het mediatype van een gebeurtenisformaat. Gemeld als de body een object met alle verplichte attributen is en het content type geen gebeurtenis aankondigt.",
    },
    why: Text {
        en: "To a receiver this is no event: it looks for `ce-` headers, finds none, and refuses the message.",
        nl: "Voor een ontvanger is dit geen gebeurtenis: hij zoekt naar `ce-`headers, vindt die niet en weigert het bericht.",
    },
    fix: Text {
        en: "Send `Content-Type: application/cloudevents+json`.",
        nl: "Verstuur `Content-Type: application/cloudevents+json`.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json; charset=utf-8\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    bad: Example::Message(
        Protocol::Http,
        "=\ncontent-type: application/json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Http),
    check: Check::Message(|reading, found| {
        if reading.mode == Mode::NotAnEvent && reading.body_looks_like_an_event() {
            found.header_of(reading.capture, "content-type");
        }
    }),
};
