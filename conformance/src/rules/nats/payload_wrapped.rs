use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-BIN-5",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.1",
    title: Text {
        en: "Payload in binary mode changed or wrapped",
        nl: "Inhoud in binaire modus gewijzigd of ingepakt",
    },
    explanation: Text {
        en: "In binary mode the payload is the data, byte for byte. An empty payload means no data.",
        nl: "In binaire modus is de inhoud de data, byte voor byte. Een lege inhoud betekent: geen data.",
    },
    why: Text {
        en: "Data that is parsed and written anew loses digits of numbers and the order of members; signatures over it no longer hold.",
        nl: "Data die wordt ingelezen en opnieuw geschreven, verliest cijfers van getallen en de volgorde van velden. Een handtekening erover klopt dan niet meer.",
    },
    fix: Text {
        en: "Copy the bytes of the data into the payload, and the bytes of the payload into the data.",
        nl: "Kopieer de bytes van de data naar de inhoud, en de bytes van de inhoud naar de data.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-datacontenttype: application/json\n\n{\"bedrag\": 1.50}",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
