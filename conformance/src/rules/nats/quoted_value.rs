use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-3",
    en: Texts {
        title: "Header value in double quotes",
        explanation: "A percent-encoded value gets no further encoding, such as quotes around it.",
        why: "Readers take quotes off for the sake of old senders. One that does not sees an `id` with quotes, and takes the event for another.",
        fix: "Write `a%20b` without quotes.",
    },
    nl: Texts {
        title: "Headerwaarde tussen dubbele aanhalingstekens",
        explanation: "Een waarde met procentcodes krijgt geen verdere codering, zoals aanhalingstekens eromheen.",
        why: "Ontvangers halen aanhalingstekens weg vanwege oude afzenders. Een ontvanger die dat niet doet, ziet een `id` met aanhalingstekens en herkent de gebeurtenis niet.",
        fix: "Schrijf `a%20b` zonder aanhalingstekens.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: a%20b"),
    bad: Example::Message(Protocol::Nats, "ce-subject: \"a%20b\""),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::quoted_value::RULE.check,
};
