use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-STR-1",
    en: Texts {
        title: "Event in the body under another content type",
        explanation: "In structured mode `Content-Type` is the media type of an event format. Reported where the body is an object with all required attributes, the content type announces no event, and the headers have none or the same.",
        why: "To a receiver the body is no event: without `ce-` headers it refuses the message, and with them it takes the whole event for the data.",
        fix: "Send `Content-Type: application/cloudevents+json`, or with `ce-` headers the data alone.",
    },
    nl: Texts {
        title: "Gebeurtenis in de body onder een ander content type",
        explanation: "In gestructureerde modus is `Content-Type` het mediatype van een gebeurtenisformaat. Gemeld als de body een object met alle verplichte attributen is, het content type geen gebeurtenis aankondigt, en de headers geen of dezelfde gebeurtenis bevatten.",
        why: "Voor een ontvanger is de body geen gebeurtenis: zonder `ce-`headers weigert hij het bericht, en met die headers houdt hij de hele gebeurtenis voor de data.",
        fix: "Verstuur `Content-Type: application/cloudevents+json`, of bij `ce-`headers alleen de data.",
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
        if reading.is_unannounced() || reading.body_repeats_headers() {
            found.header_of(reading.capture, "content-type");
        }
    }),
};
