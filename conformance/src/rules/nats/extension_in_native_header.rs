use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-3",
    en: Texts {
        title: "Extension in a NATS header alone",
        explanation: "An extension that is also mapped to a header of NATS keeps its `ce-` header. The other header adds no attribute.",
        why: "A reader looks for attributes behind `ce-` alone. A trace context in `traceparent` is no part of the event and is lost at the next hop.",
        fix: "Write `ce-traceparent`, and `traceparent` beside it where tools of NATS want it.",
    },
    nl: Texts {
        title: "Extensie alleen in een header van NATS zelf",
        explanation: "Een extensie die ook als header van NATS zelf wordt meegestuurd, houdt haar `ce-`header. De andere header voegt geen attribuut toe.",
        why: "Een ontvanger zoekt attributen alleen achter `ce-`. Een trace in `traceparent` hoort niet bij de gebeurtenis en gaat bij de volgende schakel verloren.",
        fix: "Schrijf `ce-traceparent`, en daarnaast `traceparent` als hulpmiddelen van NATS erom vragen.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
