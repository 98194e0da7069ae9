use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DEC-6",
    en: Texts {
        title: "Percent sign without two hexadecimal digits",
        explanation: "In a header value a percent sign is followed by two hexadecimal digits; the sign itself is written `%25`.",
        why: "Readers differ: some keep the sign, others refuse the message. Text such as `100%41` silently changes.",
        fix: "Encode the percent sign as `%25` before sending.",
    },
    nl: Texts {
        title: "Procentteken zonder twee hexadecimale cijfers",
        explanation: "In een headerwaarde volgen op een procentteken twee hexadecimale cijfers. Het teken zelf wordt geschreven als `%25`.",
        why: "Ontvangers verschillen: sommige laten het teken staan, andere weigeren het bericht. Tekst zoals `100%41` verandert ongemerkt.",
        fix: "Codeer het procentteken als `%25` voor het versturen.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: 100%25"),
    bad: Example::Message(Protocol::Http, "ce-subject: 100%"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        found.coded(reading, |value| percent::decode(value).has_stray);
    }),
};
