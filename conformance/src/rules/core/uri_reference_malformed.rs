use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-11",
    en: Texts {
        title: "Attribute of type URI-reference without a valid one",
        explanation: "The value of an attribute of type URI-reference is one by RFC 3986; what does not belong in one is percent-encoded. `source` and `dataref` are such attributes; CE-SOURCE-2 and EXT-DATAREF-1 report them.",
        why: "Software splits such a value into scheme, host and path. With a space or a stray `%` in it, each library splits it differently or gives up.",
        fix: "Percent-encode what RFC 3986 does not allow: `a%20b` instead of `a b`.",
    },
    nl: Texts {
        title: "Attribuut van het type URI-reference zonder geldige waarde",
        explanation: "De waarde van een attribuut van het type URI-reference is dat ook volgens RFC 3986; wat daar niet in hoort, is met procentcodes geschreven. Het gaat om `source` en `dataref`; CE-SOURCE-2 en EXT-DATAREF-1 melden een afwijking.",
        why: "Software splitst zo’n waarde in URI-schema, host en pad. Met een spatie of een losse `%` erin splitst elke bibliotheek anders, of lukt het niet.",
        fix: "Codeer met procentcodes wat RFC 3986 niet toestaat: `a%20b` in plaats van `a b`.",
    },
    good: Example::Event(r#""dataref":"//authority/path""#),
    bad: Example::Event(r#""source":"a b""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(&["CE-SOURCE-2", "EXT-DATAREF-1"], Scope::All),
};
