use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-1",
    en: Texts {
        title: "Attribute left out between headers and event",
        explanation: "In binary mode each attribute has a header of its own, and none is left out: extensions that nobody knows travel like the others.",
        why: "What the first hop leaves out, such as `traceparent` or a filing number, no later receiver can bring back.",
        fix: "Map every `ce-` header to an attribute and every attribute to a `ce-` header, known or not.",
    },
    nl: Texts {
        title: "Attribuut weggelaten tussen headers en gebeurtenis",
        explanation: "In binaire modus heeft elk attribuut een eigen header en wordt er geen weggelaten. Onbekende extensies reizen net zo mee als de rest.",
        why: "Wat de eerste schakel weglaat, zoals `traceparent` of een zaaknummer, kan geen latere ontvanger terughalen.",
        fix: "Zet elke `ce-`header om in een attribuut en elk attribuut in een `ce-`header, bekend of niet.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-subject: 1\nce-time: 2021-12-10T17:31:00Z\nce-zaaknummer: 0083",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
