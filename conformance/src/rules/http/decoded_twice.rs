use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DEC-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Header value not decoded exactly once",
        nl: "Headerwaarde niet precies één keer gedecodeerd",
    },
    explanation: Text {
        en: "A reader decodes percent codes once: `%2541` becomes `%41`, and not `A`.",
        nl: "Een ontvanger zet procentcodes één keer om: `%2541` wordt `%41`, en niet `A`.",
    },
    why: Text {
        en: "Decoding twice breaks URIs with percent codes of their own: `Bergen%2520` becomes a `source` with a space in it. Not decoding leaves a `source` that differs from the one sent.",
        nl: "Tweemaal decoderen vernielt een URI met eigen procentcodes: `Bergen%2520` wordt dan een `source` met een spatie. Niet decoderen levert een andere `source` op dan er is verstuurd.",
    },
    fix: Text {
        en: "Decode where the message comes in, and nowhere after that.",
        nl: "Decodeer waar het bericht binnenkomt, en daarna nergens meer.",
    },
    good: Example::Message(
        Protocol::Http,
        "ce-subject: %2541\nce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.burgerzakensysteem",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
