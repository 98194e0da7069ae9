use crate::grammar::text::is_control;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-4",
    en: Texts {
        title: "Control character in an attribute",
        explanation: "Text of an attribute holds no control characters (U+0000 to U+001F and U+007F to U+009F). The data of the event is not bound by this.",
        why: "Attributes are copied into headers and log files. A line break there can forge a header or a log line.",
        fix: "Leave control characters out, or move the text into the data.",
    },
    nl: Texts {
        title: "Besturingsteken in een attribuut",
        explanation: "De tekst van een attribuut bevat geen besturingstekens (U+0000 tot en met U+001F en U+007F tot en met U+009F). Voor de data van de gebeurtenis geldt dit niet.",
        why: "Attributen worden overgenomen in headers en logbestanden. Met een regeleinde is daar een header of logregel te vervalsen.",
        fix: "Laat besturingstekens weg, of verplaats de tekst naar de data.",
    },
    good: Example::Event(r#""subject":"a b""#),
    bad: Example::Event(r#""subject":"a\tb""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.set().filter(|attribute| {
            attribute
                .text()
                .is_some_and(|text| text.chars().any(is_control))
        }));
    }),
};
