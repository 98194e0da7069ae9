use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-DEC-6",
    level: Levels::everywhere(Level::Must),
    status: Status::Interpretation,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2 (RFC 3986 section 2.1)",
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
        en: "Encode the percent sign as `%25` before publishing.",
        nl: "Codeer het procentteken als `%25` voor het publiceren.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: 100%25"),
    bad: Example::Message(Protocol::Nats, "ce-subject: 100%"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::stray_percent::RULE.check,
};
