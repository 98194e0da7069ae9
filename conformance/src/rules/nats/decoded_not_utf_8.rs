use crate::rules::http::decoded_not_utf_8;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-5",
    good: Example::Message(Protocol::Nats, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: a%C0%A0b"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..decoded_not_utf_8::RULE
};
