use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-10",
    en: Texts {
        title: "Attribute of type URI without an absolute URI",
        explanation: "The value of an attribute of type URI is an absolute URI of RFC 3986: it has a scheme and no fragment. `dataschema` is such an attribute; CE-DATASCHEMA-1 reports it.",
        why: "A relative reference has a meaning only beside the address it was found at, and an event that is passed on has no such address.",
        fix: "Write the whole URI: `urn:nld:schema:1` instead of `schema/1`.",
    },
    nl: Texts {
        title: "Attribuut van het type URI zonder absolute URI",
        explanation: "De waarde van een attribuut van het type URI is een absolute URI volgens RFC 3986: met een URI-schema zoals `https:` en zonder fragment. Het gaat om `dataschema`; CE-DATASCHEMA-1 meldt een afwijking.",
        why: "Een relatieve verwijzing heeft alleen betekenis naast het adres waar zij is gevonden, en een doorgegeven gebeurtenis heeft zo’n adres niet.",
        fix: "Schrijf de volledige URI: `urn:nld:schema:1` in plaats van `schema/1`.",
    },
    good: Example::Event(r#""dataschema":"urn:nld:schema:1""#),
    bad: Example::Event(r#""dataschema":"schema/1""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(&["CE-DATASCHEMA-1"], Scope::All),
};
