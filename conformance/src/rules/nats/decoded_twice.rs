use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-DEC-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Header value decoded twice, or not at all",
        nl: "Headerwaarde tweemaal of helemaal niet gedecodeerd",
    },
    explanation: Text {
        en: "A reader percent-decodes a value exactly once: `%2520` becomes `%20`, and stays that.",
        nl: "Een ontvanger decodeert een waarde precies één keer: `%2520` wordt `%20` en blijft dat.",
    },
    why: Text {
        en: "Decoded twice, a source with percent-encoding of its own gets a raw space; not decoded, it is another string than the one its owner publishes.",
        nl: "Bij tweemaal decoderen krijgt een bron met eigen procentcodes een spatie. Zonder decoderen is het een andere tekst dan de eigenaar publiceert.",
    },
    fix: Text {
        en: "Decode in one place, where the message comes in, and encode in one place, where it goes out.",
        nl: "Decodeer op één plek, waar het bericht binnenkomt, en codeer op één plek, waar het naar buiten gaat.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.burgerzakensysteem",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
