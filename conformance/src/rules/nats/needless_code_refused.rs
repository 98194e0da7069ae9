use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-DEC-4",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Percent-encoding that was not needed refused",
        nl: "Overbodige procentcodes geweigerd",
    },
    explanation: Text {
        en: "A reader decodes characters that needed no encoding like all others.",
        nl: "Een ontvanger decodeert ook tekens die niet gecodeerd hoefden te worden.",
    },
    why: Text {
        en: "Ordinary URL encoders encode `:` and `/` too. A reader that keeps `urn%3Anld` has a source that nobody else knows.",
        nl: "Gewone URL-encoders coderen ook `:` en `/`. Een ontvanger die `urn%3Anld` laat staan, heeft een bron die niemand anders kent.",
    },
    fix: Text {
        en: "Decode every `%` with two hexadecimal digits behind it.",
        nl: "Decodeer elk procentteken waar twee hexadecimale cijfers op volgen.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %41%2D%7A"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
