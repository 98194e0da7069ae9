use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-BIN-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.2",
    title: Text {
        en: "Attribute left out between headers and event",
        nl: "Attribuut weggelaten tussen headers en gebeurtenis",
    },
    explanation: Text {
        en: "In binary mode each attribute has a header of its own, and none is left out: extensions that nobody knows travel like the others.",
        nl: "In binaire modus heeft elk attribuut een eigen header en wordt er geen weggelaten. Onbekende extensies reizen net zo mee als de rest.",
    },
    why: Text {
        en: "What the first hop leaves out, such as `traceparent` or a filing number, no later receiver can bring back.",
        nl: "Wat de eerste schakel weglaat, zoals `traceparent` of een zaaknummer, kan geen latere ontvanger terughalen.",
    },
    fix: Text {
        en: "Map every `ce-` header to an attribute and every attribute to a `ce-` header, known or not.",
        nl: "Zet elke `ce-`header om in een attribuut en elk attribuut in een `ce-`header, bekend of niet.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-subject: 1\nce-time: 2021-12-10T17:31:00Z\nce-zaaknummer: 0083",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
