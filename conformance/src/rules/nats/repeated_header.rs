use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-4",
    en: Texts {
        title: "The same attribute header twice, in whatever capitals",
        explanation: "A header that carries an attribute occurs once, also when spelled with other capitals. NATS keeps both.",
        why: "NATS clients look names up by their exact spelling, others without regard to case: `ce-id` and `CE-ID` give each of them another event.",
        fix: "Write names in lower case, and set a header instead of adding it.",
    },
    nl: Texts {
        title: "Dezelfde attribuutheader tweemaal, ongeacht hoofdletters",
        explanation: "Een header die een attribuut draagt, komt één keer voor, ook als de hoofdletters verschillen. NATS bewaart ze allebei.",
        why: "NATS-clients zoeken op de exacte schrijfwijze, andere ontvangers zonder op hoofdletters te letten. Met `ce-id` en `CE-ID` zien zij elk een andere gebeurtenis.",
        fix: "Schrijf namen in kleine letters en vervang een header in plaats van die toe te voegen.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: a"),
    bad: Example::Message(Protocol::Nats, "ce-subject: a\nCE-SUBJECT: b"),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Nats),
    check: crate::rules::kafka::repeated_header::RULE.check,
};
