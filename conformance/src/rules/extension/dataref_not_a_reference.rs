use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-DATAREF-1",
    en: Texts {
        title: "`dataref` is not a URI-reference",
        explanation: "If present, `dataref` is text and a URI-reference of RFC 3986. Spaces and letters with accents do not occur in one.",
        why: "A consumer fetches the data at this address. An address with a space is cut off or refused, and the consumer is left without data.",
        fix: "Percent-encode what RFC 3986 does not allow: a space is `%20`.",
    },
    nl: Texts {
        title: "`dataref` is geen URI-reference",
        explanation: "Als `dataref` aanwezig is, is het tekst en een URI-reference volgens RFC 3986. Spaties en letters met accenten komen daarin niet voor.",
        why: "Een afnemer haalt de data op bij dit adres. Een adres met een spatie wordt afgekapt of geweigerd, en de afnemer krijgt geen data.",
        fix: "Codeer met procentcodes wat RFC 3986 niet toestaat: een spatie is `%20`.",
    },
    good: Example::Event(r#""dataref":"https://gemeentex.nl/api/personen/7""#),
    bad: Example::Event(r#""dataref":"https://gemeente X/api""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("dataref", is_uri_reference))),
};
