use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DEC-6",
    level: Levels::everywhere(Level::Must),
    status: Status::Interpretation,
    clause: "HTTP binding 1.0.2, 3.1.3.2 (RFC 3986 section 2.1)",
    title: Text {
        en: "Percent sign without two hexadecimal digits",
        nl: "Procentteken zonder twee hexadecimale cijfers",
    },
    explanation: Text {
        en: "In a header value a percent sign is followed by two hexadecimal digits; the sign itself is written `%25`.",
        nl: "In een headerwaarde volgen op een procentteken twee hexadecimale cijfers. Het teken zelf wordt geschreven als `%25`.",
    },
    why: Text {
        en: "Readers differ: some keep the sign, others refuse the message. Text such as `100%41` silently changes.",
        nl: "Ontvangers verschillen: sommige laten het teken staan, andere weigeren het bericht. Tekst zoals `100%41` verandert ongemerkt.",
    },
    fix: Text {
        en: "Encode the percent sign as `%25` before sending.",
        nl: "Codeer het procentteken als `%25` voor het versturen.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: 100%25"),
    bad: Example::Message(Protocol::Http, "ce-subject: 100%"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        for (header, value) in reading.coded_headers() {
            if percent::decode(value).has_stray {
                found.header(header);
            }
        }
    }),
};
