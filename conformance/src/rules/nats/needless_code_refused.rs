use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-4",
    en: Texts {
        title: "Percent-encoding that was not needed refused",
        explanation: "A reader decodes characters that needed no encoding like all others.",
        why: "Ordinary URL encoders encode `:` and `/` too. A reader that keeps `urn%3Anld` has a source that nobody else knows.",
        fix: "Decode every `%` with two hexadecimal digits behind it.",
    },
    nl: Texts {
        title: "Overbodige procentcodes geweigerd",
        explanation: "Een ontvanger decodeert ook tekens die niet gecodeerd hoefden te worden.",
        why: "Gewone URL-encoders coderen ook `:` en `/`. Een ontvanger die `urn%3Anld` laat staan, heeft een bron die niemand anders kent.",
        fix: "Decodeer elk procentteken waar twee hexadecimale cijfers op volgen.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %41%2D%7A"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
