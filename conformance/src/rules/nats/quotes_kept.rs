use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-1",
    en: Texts {
        title: "Quotes around a header value kept",
        explanation: "A reader first takes off double quotes around a value and undoes backslashes in it, since older senders write values so.",
        why: "With the quotes kept, a `source` is no URI any more and events of older senders are refused.",
        fix: "Undo quotes before percent-decoding, and only where they enclose the whole value.",
    },
    nl: Texts {
        title: "Aanhalingstekens om een headerwaarde laten staan",
        explanation: "Een ontvanger haalt eerst de dubbele aanhalingstekens om een waarde weg en maakt backslashes daarin ongedaan, omdat oudere afzenders dat zo schrijven.",
        why: "Blijven de aanhalingstekens staan, dan is een `source` geen URI meer en worden gebeurtenissen van oudere afzenders geweigerd.",
        fix: "Haal aanhalingstekens weg voor het decoderen van procentcodes, en alleen als ze om de hele waarde staan.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-subject: \"Zaak \\\"7\\\" a\\\\b %C3%A9\"",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
