//! NATS-STR-1: a payload without headers that is bare data.

use crate::capture::Protocol;
use crate::grammar::name::REQUIRED;
use crate::reading::Reading;
use crate::rule::{Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, Text};

pub(crate) const RULE: Rule = Rule {
    id: "NATS-STR-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "NATS binding 1.0.1/1.0.2, 3",
    title: Text {
        en: "Bare data instead of an event in the payload",
        nl: "Losse data in plaats van een gebeurtenis in het bericht",
    },
    explanation: Text {
        en: "A NATS message whose headers say nothing of an event has the whole event in its payload, in the JSON format. Reported where the payload is a JSON object without any attribute that an event needs.",
        nl: "Een NATS-bericht waarvan de headers niets over een gebeurtenis zeggen, bevat de hele gebeurtenis in JSON-formaat. Gemeld als de inhoud een JSON-object is zonder een van de verplichte attributen.",
    },
    why: Text {
        en: "Nobody can tell what happened, where and when: a reader finds four attributes missing and refuses the message.",
        nl: "Niemand kan zien wat er waar en wanneer is gebeurd. Een lezer mist alle vier de verplichte attributen en weigert het bericht.",
    },
    fix: Text {
        en: "Put the data in the member `data` of an event, or add the attributes as `ce-` headers.",
        nl: "Zet de data in het veld `data` van een gebeurtenis, of voeg de attributen toe als `ce-`-headers.",
    },
    good: Example::Message(
        Protocol::Nats,
        "=\n\n{\"specversion\":\"1.0\",\"id\":\"doc2021033441\",\"source\":\"urn:nld:oin:00000001823288444000:systeem:BRP-component\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    bad: Example::Message(Protocol::Nats, "=\n\n{\"a\":1}"),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Nats),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    let is_announced =
        reading.capture.has("Content-Type") || reading.attribute_headers().next().is_some();
    for event in &reading.events {
        let is_bare = |name: &&str| {
            event
                .members
                .iter()
                .all(|member| member.name.text != **name)
        };
        if !is_announced && REQUIRED.iter().all(|name| is_bare(name)) {
            found.body(0);
        }
    }
}
