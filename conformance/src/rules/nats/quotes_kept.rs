use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-DEC-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Quotes around a header value kept",
        nl: "Aanhalingstekens om een headerwaarde laten staan",
    },
    explanation: Text {
        en: "A reader first takes off double quotes around a value and undoes backslashes in it, since older senders write values so.",
        nl: "Een ontvanger haalt eerst de dubbele aanhalingstekens om een waarde weg en maakt backslashes daarin ongedaan, omdat oudere afzenders dat zo schrijven.",
    },
    why: Text {
        en: "With the quotes kept, a `source` is no URI any more and events of older senders are refused.",
        nl: "Blijven de aanhalingstekens staan, dan is een `source` geen URI meer en worden gebeurtenissen van oudere afzenders geweigerd.",
    },
    fix: Text {
        en: "Undo quotes before percent-decoding, and only where they enclose the whole value.",
        nl: "Haal aanhalingstekens weg voor het decoderen van procentcodes, en alleen als ze om de hele waarde staan.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-subject: \"Zaak \\\"7\\\" a\\\\b %C3%A9\"",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
