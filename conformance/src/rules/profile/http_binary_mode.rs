use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-GL-HTTP-1",
    en: Texts {
        title: "Binary mode over HTTP",
        explanation: "Over HTTP the guideline asks for structured mode: attributes and data together in the body.",
        why: "Gateways drop and limit headers, and attributes in headers are lost when an event is stored; in one JSON text it stays whole.",
        fix: "Send `Content-Type: application/cloudevents+json`, with the whole event in the body.",
    },
    nl: Texts {
        title: "Binaire modus via HTTP",
        explanation: "Voor HTTP vraagt de richtlijn om gestructureerde modus: attributen en data samen in de body.",
        why: "Gateways verwijderen en begrenzen headers, en attributen in headers gaan verloren bij het opslaan. In één JSON-tekst blijft een gebeurtenis heel.",
        fix: "Verstuur `Content-Type: application/cloudevents+json`, met de hele gebeurtenis in de body.",
    },
    good: Example::Message(
        Protocol::Http,
        "Content-Type: application/cloudevents+json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:oin:00000001823288444000:systeem:BRP-component\",\"type\":\"nl.brp.a\"}",
    ),
    bad: Example::Message(Protocol::Http, "Content-Type: application/json\n\n{}"),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Http),
    check: Check::Message(|reading, found| {
        if reading.mode == Mode::Binary {
            found.header_of(reading.capture, "Content-Type");
        }
    }),
};
