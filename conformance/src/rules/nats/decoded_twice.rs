use crate::rules::http::decoded_twice;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-2",
    good: Example::Message(
        Protocol::Nats,
        "ce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.burgerzakensysteem",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..decoded_twice::RULE
};
