use crate::rules::http::not_ascii;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-1",
    en: Texts {
        why: "Some NATS clients end the connection on bytes they cannot read, and with redelivery the same message ends it again.",
        ..not_ascii::RULE.en
    },
    nl: Texts {
        why: "Sommige NATS-clients verbreken de verbinding bij bytes die zij niet kunnen lezen. Bij opnieuw afleveren gebeurt dat telkens weer.",
        ..not_ascii::RULE.nl
    },
    good: Example::Message(Protocol::Nats, "ce-subject: Caf%C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: Café"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..not_ascii::RULE
};
