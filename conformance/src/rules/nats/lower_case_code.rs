use crate::rules::http::lower_case_code;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-4",
    good: Example::Message(Protocol::Nats, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: %c3%a9"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..lower_case_code::RULE
};
