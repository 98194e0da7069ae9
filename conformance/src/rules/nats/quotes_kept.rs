use crate::rules::http::quotes_kept;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-1",
    good: Example::Message(
        Protocol::Nats,
        "ce-subject: \"Zaak \\\"7\\\" a\\\\b %C3%A9\"",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..quotes_kept::RULE
};
