use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-2",
    en: Texts {
        title: "Header value decoded twice, or not at all",
        explanation: "A reader percent-decodes a value exactly once: `%2520` becomes `%20`, and stays that.",
        why: "Decoded twice, a source with percent-encoding of its own gets a raw space; not decoded, it is another string than the one its owner publishes.",
        fix: "Decode in one place, where the message comes in, and encode in one place, where it goes out.",
    },
    nl: Texts {
        title: "Headerwaarde tweemaal of helemaal niet gedecodeerd",
        explanation: "Een ontvanger decodeert een waarde precies één keer: `%2520` wordt `%20` en blijft dat.",
        why: "Bij tweemaal decoderen krijgt een bron met eigen procentcodes een spatie. Zonder decoderen is het een andere tekst dan de eigenaar publiceert.",
        fix: "Decodeer op één plek, waar het bericht binnenkomt, en codeer op één plek, waar het naar buiten gaat.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.burgerzakensysteem",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
