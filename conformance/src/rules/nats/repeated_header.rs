use crate::rules::http::repeated_header;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-4",
    en: Texts {
        explanation: "A header that carries an attribute occurs once in a message, whatever the case of its name. The same holds for `Content-Type`. NATS keeps both.",
        why: "NATS clients look names up by their exact spelling, others without regard to case: `ce-id` and `CE-ID` give each of them another event.",
        fix: "Write names of attributes in lower case, and set a header instead of adding it.",
        ..repeated_header::RULE.en
    },
    nl: Texts {
        explanation: "Een header die een attribuut draagt, komt één keer voor in een bericht, ook als hoofdletters in de naam verschillen. Hetzelfde geldt voor `Content-Type`. NATS bewaart ze allebei.",
        why: "NATS-clients zoeken op de exacte schrijfwijze, andere ontvangers zonder op hoofdletters te letten. Met `ce-id` en `CE-ID` zien zij elk een andere gebeurtenis.",
        fix: "Schrijf namen van attributen in kleine letters en vervang een header in plaats van die toe te voegen.",
        ..repeated_header::RULE.nl
    },
    good: Example::Message(Protocol::Nats, "ce-subject: a"),
    bad: Example::Message(Protocol::Nats, "ce-subject: a\nCE-SUBJECT: b"),
    applies: Applies::On(Protocol::Nats),
    ..repeated_header::RULE
};
