use crate::rules::http::encoded_surrogates;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-5",
    good: Example::Message(Protocol::Nats, "ce-subject: %F0%9F%98%80"),
    bad: Example::Message(Protocol::Nats, "ce-subject: %ED%A0%BD%ED%B8%80"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..encoded_surrogates::RULE
};
