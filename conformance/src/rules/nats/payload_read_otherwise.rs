use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-STR-2",
    en: Texts {
        title: "Payload in structured mode read by other rules than the format's",
        explanation: "In structured mode the payload is what the event format prescribes, and nothing else of the message counts. What is wrong with the text is reported by the rules of the format.",
        why: "A reader that mixes `ce-` headers into the payload sees another event than its neighbour.",
        fix: "Read the event from the payload alone, and ignore `ce-` headers beside it.",
    },
    nl: Texts {
        title: "Inhoud in gestructureerde modus gelezen volgens andere regels dan die van het formaat",
        explanation: "In gestructureerde modus is de inhoud wat het formaat voorschrijft; de rest van het bericht telt niet mee. Wat er aan de tekst mankeert, melden de regels van het formaat.",
        why: "Een ontvanger die `ce-`headers met de inhoud mengt, ziet een andere gebeurtenis dan wie alleen de inhoud leest.",
        fix: "Lees de gebeurtenis alleen uit de inhoud en negeer `ce-`headers ernaast.",
    },
    good: Example::Message(
        Protocol::Nats,
        "Content-Type: application/cloudevents+json\nce-id: other\n\n{\"specversion\":\"1.0\",\"id\":\"doc2021033441\",\"source\":\"urn:nld:oin:00000001823288444000:systeem:BRP-component\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Structured),
    ..ACCEPTANCE
};
