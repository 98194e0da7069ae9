use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SOURCE-2",
    en: Texts {
        title: "`source` is not a URI-reference",
        explanation: "`source` is a URI-reference of RFC 3986 with at least one character. Spaces, letters with accents and incomplete percent codes do not occur in one. A header on HTTP or NATS is judged after decoding.",
        why: "Receivers compare and parse `source` as a URI. One that is none is refused, or read differently by each receiver.",
        fix: "Percent-encode what RFC 3986 does not allow: a space is `%20`, `ú` is `%C3%BA`.",
    },
    nl: Texts {
        title: "`source` is geen URI-reference",
        explanation: "`source` is een URI-reference volgens RFC 3986 van ten minste één teken. Spaties, letters met accenten en onvolledige procentcodes komen daarin niet voor. Een header bij HTTP of NATS wordt beoordeeld na het decoderen.",
        why: "Ontvangers vergelijken en ontleden `source` als URI. Een waarde die dat niet is, wordt geweigerd of door elke ontvanger anders gelezen.",
        fix: "Codeer met procentcodes wat RFC 3986 niet toestaat: een spatie is `%20`, `ú` is `%C3%BA`.",
    },
    good: Example::Event(r#""source":"urn:nld:gemeente-Bergen%20(L).burgerzakensysteem""#),
    bad: Example::Event(r#""source":"urn:nld:gemeente-Bergen (L).burgerzakensysteem""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("source", |source| {
            !source.is_empty() && is_uri_reference(source)
        }));
    }),
};
