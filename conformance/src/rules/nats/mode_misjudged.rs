use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DETECT-1",
    en: Texts {
        title: "Structured mode on NATS not recognised",
        explanation: "A message is structured when `Content-Type` begins with `application/cloudevents`, in any case, and else binary. Without any `ce-` header the payload is tried as a JSON event, which is what older senders produce.",
        why: "Read in the wrong mode, an event arrives without attributes, or as data inside another event.",
        fix: "Compare the beginning of `Content-Type` without regard to case, before you look at `ce-` headers.",
    },
    nl: Texts {
        title: "Gestructureerde modus op NATS niet herkend",
        explanation: "Een bericht is gestructureerd als `Content-Type` begint met `application/cloudevents`, ook met hoofdletters, en anders binair. Zonder `ce-`headers wordt de inhoud als JSON-gebeurtenis gelezen: zo versturen oudere afzenders.",
        why: "In de verkeerde modus gelezen komt een gebeurtenis aan zonder attributen, of als data in een andere gebeurtenis.",
        fix: "Vergelijk het begin van `Content-Type` zonder op hoofdletters te letten, voordat u naar `ce-`headers kijkt.",
    },
    good: Example::Message(
        Protocol::Nats,
        "CONTENT-TYPE: APPLICATION/CLOUDEVENTS+JSON; CHARSET=UTF-8\n\n{\"specversion\":\"1.0\",\"id\":\"doc2021033441\",\"source\":\"urn:nld:oin:00000001823288444000:systeem:BRP-component\",\"type\":\"nl.brp.persoon-verhuisd\",\"data\":{\"a\":1}}",
    ),
    applies: Applies::In(Protocol::Nats, Mode::Structured),
    ..ACCEPTANCE
};
