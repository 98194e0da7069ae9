use crate::rules::http::quoted_value;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-3",
    good: Example::Message(Protocol::Nats, "ce-subject: a%20b"),
    bad: Example::Message(Protocol::Nats, "ce-subject: \"a%20b\""),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..quoted_value::RULE
};
