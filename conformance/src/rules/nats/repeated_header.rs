use crate::rules::http::repeated_header;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-4",
    good: Example::Message(Protocol::Nats, "ce-subject: a"),
    bad: Example::Message(Protocol::Nats, "ce-subject: a\nCE-SUBJECT: b"),
    applies: Applies::On(Protocol::Nats),
    ..repeated_header::RULE
};
