use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-4",
    en: Texts {
        title: "Percent-encoding with lower-case digits",
        explanation: "The hexadecimal digits of a percent-encoded byte are upper case.",
        why: "The same event then has two spellings, and filters and duplicate checks that compare headers as they are see two values.",
        fix: "Write `%C3%A9` instead of `%c3%a9`.",
    },
    nl: Texts {
        title: "Procentcodes met kleine letters",
        explanation: "De hexadecimale cijfers van een procentcode zijn hoofdletters.",
        why: "Dezelfde gebeurtenis heeft dan twee schrijfwijzen. Filters en controles op dubbelen die headers letterlijk vergelijken, zien twee waarden.",
        fix: "Schrijf `%C3%A9` in plaats van `%c3%a9`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: %c3%a9"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::lower_case_code::RULE.check,
};
