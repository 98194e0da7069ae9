use crate::rules::http::lower_case_refused;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-3",
    good: Example::Message(Protocol::Nats, "ce-subject: caf%c3%a9"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..lower_case_refused::RULE
};
