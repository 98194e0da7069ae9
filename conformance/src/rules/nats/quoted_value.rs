use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-ENC-3",
    level: Levels::everywhere(Level::ShouldNot),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Header value in double quotes",
        nl: "Headerwaarde tussen dubbele aanhalingstekens",
    },
    explanation: Text {
        en: "A percent-encoded value gets no further encoding, such as quotes around it.",
        nl: "Een waarde met procentcodes krijgt geen verdere codering, zoals aanhalingstekens eromheen.",
    },
    why: Text {
        en: "Readers take quotes off for the sake of old senders. One that does not sees an `id` with quotes, and takes the event for another.",
        nl: "Ontvangers halen aanhalingstekens weg vanwege oude afzenders. Een ontvanger die dat niet doet, ziet een `id` met aanhalingstekens en herkent de gebeurtenis niet.",
    },
    fix: Text {
        en: "Write `a%20b` without quotes.",
        nl: "Schrijf `a%20b` zonder aanhalingstekens.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: a%20b"),
    bad: Example::Message(Protocol::Nats, "ce-subject: \"a%20b\""),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::quoted_value::RULE.check,
};
