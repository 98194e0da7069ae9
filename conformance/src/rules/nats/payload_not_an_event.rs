use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-STR-1",
    en: Texts {
        title: "Bare data instead of an event in the payload",
        explanation: "A NATS message without `ce-` headers has the whole event in its payload, in the JSON format. Reported where the payload is a JSON object without any attribute that an event needs.",
        why: "Nobody can tell what happened, where and when: a reader finds four attributes missing and refuses the message.",
        fix: "Put the data in the member `data` of an event, or add the attributes as `ce-` headers.",
    },
    nl: Texts {
        title: "Losse data in plaats van een gebeurtenis in het bericht",
        explanation: "Een NATS-bericht zonder `ce-`headers bevat de hele gebeurtenis, in JSON-formaat. Gemeld als de inhoud een JSON-object is zonder een van de verplichte attributen.",
        why: "Niemand kan zien wat er waar en wanneer is gebeurd. Een ontvanger mist alle vier de verplichte attributen en weigert het bericht.",
        fix: "Zet de data in het veld `data` van een gebeurtenis, of voeg de attributen toe als `ce-`headers.",
    },
    good: Example::Message(
        Protocol::Nats,
        "=\n\n{\"specversion\":\"1.0\",\"id\":\"doc2021033441\",\"source\":\"urn:nld:oin:00000001823288444000:systeem:BRP-component\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    bad: Example::Message(Protocol::Nats, "=\n\n{\"a\":1}"),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Nats),
    check: Check::Message(|reading, found| {
        let has_headers = reading.attribute_headers().next().is_some();
        let is_object = reading.capture.body().trim_ascii_start().starts_with(b"{");
        if reading.mode == Mode::NotAnEvent && is_object && !has_headers {
            found.body(0);
        }
    }),
};
