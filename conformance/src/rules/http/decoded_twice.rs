use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DEC-2",
    en: Texts {
        title: "Header value not decoded exactly once",
        explanation: "A reader decodes percent codes once: `%2541` becomes `%41`, and not `A`.",
        why: "Decoding twice breaks URIs with percent codes of their own: `Bergen%2520` becomes a `source` with a space in it. Not decoding leaves a `source` that differs from the one sent.",
        fix: "Decode where the message comes in, and nowhere after that.",
    },
    nl: Texts {
        title: "Headerwaarde niet precies één keer gedecodeerd",
        explanation: "Een ontvanger zet procentcodes één keer om: `%2541` wordt `%41`, en niet `A`.",
        why: "Tweemaal decoderen vernielt een URI met eigen procentcodes: `Bergen%2520` wordt dan een `source` met een spatie. Niet decoderen levert een andere `source` op dan er is verstuurd.",
        fix: "Decodeer waar het bericht binnenkomt, en daarna nergens meer.",
    },
    good: Example::Message(
        Protocol::Http,
        "ce-subject: %2541\nce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.burgerzakensysteem",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
