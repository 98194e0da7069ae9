use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-5",
    en: Texts {
        title: "Payload in binary mode changed or wrapped",
        explanation: "In binary mode the payload is the data, byte for byte. An empty payload means no data.",
        why: "Data that is parsed and written anew loses digits of numbers and the order of members; signatures over it no longer hold.",
        fix: "Copy the bytes of the data into the payload, and the bytes of the payload into the data.",
    },
    nl: Texts {
        title: "Inhoud in binaire modus gewijzigd of ingepakt",
        explanation: "In binaire modus is de inhoud de data, byte voor byte. Een lege inhoud betekent: geen data.",
        why: "Data die wordt ingelezen en opnieuw geschreven, verliest cijfers van getallen en de volgorde van velden. Een handtekening erover klopt dan niet meer.",
        fix: "Kopieer de bytes van de data naar de inhoud, en de bytes van de inhoud naar de data.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-datacontenttype: application/json\n\n{\"bedrag\": 1.50}",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
