use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-STR-4",
    en: Texts {
        title: "Body of a structured message not read as the event",
        explanation: "In structured mode the body is the whole event, attributes and data, in the format that `Content-Type` names.",
        why: "An application that takes the body for the data finds the attributes in it too, and hands on the wrong content.",
        fix: "Read the event from the body, and the data from its member `data` or `data_base64`.",
    },
    nl: Texts {
        title: "Body van een gestructureerd bericht niet gelezen als de gebeurtenis",
        explanation: "In gestructureerde modus is de body de hele gebeurtenis, attributen en data, in het formaat dat `Content-Type` noemt.",
        why: "Een toepassing die de body voor de data aanziet, vindt daarin ook de attributen en geeft verkeerde inhoud door.",
        fix: "Lees de gebeurtenis uit de body, en de data uit het veld `data` of `data_base64` daarvan.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    applies: Applies::In(Protocol::Http, Mode::Structured),
    ..ACCEPTANCE
};
