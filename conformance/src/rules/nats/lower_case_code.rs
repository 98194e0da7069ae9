use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-ENC-4",
    level: Levels::everywhere(Level::Should),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Percent-encoding with lower-case digits",
        nl: "Procentcodes met kleine letters",
    },
    explanation: Text {
        en: "The hexadecimal digits of a percent-encoded byte are upper case.",
        nl: "De hexadecimale cijfers van een procentcode zijn hoofdletters.",
    },
    why: Text {
        en: "The same event then has two spellings, and filters and duplicate checks that compare headers as they are see two values.",
        nl: "Dezelfde gebeurtenis heeft dan twee schrijfwijzen. Filters en controles op dubbelen die headers letterlijk vergelijken, zien twee waarden.",
    },
    fix: Text {
        en: "Write `%C3%A9` instead of `%c3%a9`.",
        nl: "Schrijf `%C3%A9` in plaats van `%c3%a9`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: %c3%a9"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::lower_case_code::RULE.check,
};
