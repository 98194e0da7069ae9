use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-GL-HTTP-1",
    level: Levels::nl_gov(Level::Should),
    status: Status::Guideline,
    clause: "Guidelines for NL-GOV profile CloudEvents (working version 2024-07-15), 1.2",
    title: Text {
        en: "Binary mode over HTTP",
        nl: "Binaire modus via HTTP",
    },
    explanation: Text {
        en: "Over HTTP the guideline asks for structured mode: attributes and data together in the body.",
        nl: "Voor HTTP vraagt de richtlijn om gestructureerde modus: attributen en data samen in de body.",
    },
    why: Text {
        en: "Gateways drop and limit headers, and attributes in headers are lost when an event is stored; in one JSON text it stays whole.",
        nl: "Gateways verwijderen en begrenzen headers, en attributen in headers gaan verloren bij het opslaan. In één JSON-tekst blijft een gebeurtenis heel.",
    },
    fix: Text {
        en: "Send `Content-Type: application/cloudevents+json`, with the whole event in the body.",
        nl: "Verstuur `Content-Type: application/cloudevents+json`, met de hele gebeurtenis in de body.",
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
