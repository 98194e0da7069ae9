use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-1",
    en: Texts {
        title: "Characters in a header that are not printable ASCII",
        explanation: "The value of a `ce-` header consists of printable ASCII; other characters are percent-encoded as UTF-8.",
        why: "Some NATS clients end the connection on bytes they cannot read, and with redelivery the same message ends it again.",
        fix: "Write `Caf%C3%A9` for `Café`.",
    },
    nl: Texts {
        title: "Tekens in een header die geen afdrukbare ASCII zijn",
        explanation: "De waarde van een `ce-`header bestaat uit afdrukbare ASCII-tekens. Andere tekens worden als UTF-8 in procentcodes geschreven.",
        why: "Sommige NATS-clients verbreken de verbinding bij bytes die zij niet kunnen lezen. Bij opnieuw afleveren gebeurt dat telkens weer.",
        fix: "Schrijf `Caf%C3%A9` voor `Café`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: Caf%C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: Café"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::not_ascii::RULE.check,
};
