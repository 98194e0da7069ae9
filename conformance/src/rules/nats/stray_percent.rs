use crate::rules::http::stray_percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-6",
    en: Texts {
        fix: "Encode the percent sign as `%25` before publishing.",
        ..stray_percent::RULE.en
    },
    nl: Texts {
        fix: "Codeer het procentteken als `%25` voor het publiceren.",
        ..stray_percent::RULE.nl
    },
    good: Example::Message(Protocol::Nats, "ce-subject: 100%25"),
    bad: Example::Message(Protocol::Nats, "ce-subject: 100%"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..stray_percent::RULE
};
