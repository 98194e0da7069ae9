use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-ENC-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Characters in a header that are not printable ASCII",
        nl: "Tekens in een header die geen afdrukbare ASCII zijn",
    },
    explanation: Text {
        en: "The value of a `ce-` header consists of printable ASCII; other characters are percent-encoded as UTF-8.",
        nl: "De waarde van een `ce-`header bestaat uit afdrukbare ASCII-tekens. Andere tekens worden als UTF-8 in procentcodes geschreven.",
    },
    why: Text {
        en: "Some NATS clients end the connection on bytes they cannot read, and with redelivery the same message ends it again.",
        nl: "Sommige NATS-clients verbreken de verbinding bij bytes die zij niet kunnen lezen. Bij opnieuw afleveren gebeurt dat telkens weer.",
    },
    fix: Text {
        en: "Write `Caf%C3%A9` for `Café`.",
        nl: "Schrijf `Caf%C3%A9` voor `Café`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: Caf%C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: Café"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::not_ascii::RULE.check,
};
