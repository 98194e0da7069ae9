use crate::rules::http::left_unencoded;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-2",
    good: Example::Message(
        Protocol::Nats,
        "ce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.zaken",
    ),
    bad: Example::Message(
        Protocol::Nats,
        "ce-datacontenttype: text/plain; charset=utf-8\n\na",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..left_unencoded::RULE
};
