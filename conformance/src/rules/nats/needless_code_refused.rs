use crate::rules::http::needless_code_refused;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-4",
    good: Example::Message(Protocol::Nats, "ce-subject: %41%2D%7A"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..needless_code_refused::RULE
};
