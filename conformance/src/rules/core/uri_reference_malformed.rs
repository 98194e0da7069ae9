use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPES-11",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Type System / URI-reference",
    title: Text {
        en: "Attribute of type URI-reference without a valid one",
        nl: "Attribuut van het type URI-reference zonder geldige waarde",
    },
    explanation: Text {
        en: "The value of an attribute of type URI-reference is one by RFC 3986; what does not belong in one is percent-encoded. `source` and `dataref` are such attributes; CE-SOURCE-2 and EXT-DATAREF-1 report them.",
        nl: "De waarde van een attribuut van het type URI-reference is dat ook volgens RFC 3986; wat daar niet in hoort, is met procentcodes geschreven. Het gaat om `source` en `dataref`; CE-SOURCE-2 en EXT-DATAREF-1 melden een afwijking.",
    },
    why: Text {
        en: "Software splits such a value into scheme, host and path. With a space or a stray `%` in it, each library splits it differently or gives up.",
        nl: "Software splitst zo’n waarde in URI-schema, host en pad. Met een spatie of een losse `%` erin splitst elke bibliotheek anders, of lukt het niet.",
    },
    fix: Text {
        en: "Percent-encode what RFC 3986 does not allow: `a%20b` instead of `a b`.",
        nl: "Codeer met procentcodes wat RFC 3986 niet toestaat: `a%20b` in plaats van `a b`.",
    },
    good: Example::Event(r#""dataref":"//authority/path""#),
    bad: Example::Event(r#""source":"a b""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(&["CE-SOURCE-2", "EXT-DATAREF-1"], Scope::All),
};
