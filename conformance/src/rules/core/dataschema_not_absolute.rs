use crate::grammar::uri::is_absolute_uri;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DATASCHEMA-1",
    en: Texts {
        title: "`dataschema` is not an absolute URI",
        explanation: "If present, `dataschema` is an absolute URI of RFC 3986: it has a scheme and no fragment. It is not empty.",
        why: "Receivers look the schema up by this URI. A relative one leads nowhere outside the source, and one with a fragment is found by some software and not by other.",
        fix: "Write the whole address, such as `https://example.com/schemas/verhuisd.json`, with nothing from `#` on.",
    },
    nl: Texts {
        title: "`dataschema` is geen absolute URI",
        explanation: "Als `dataschema` aanwezig is, is het een absolute URI volgens RFC 3986: met een URI-schema zoals `https:` aan het begin, en zonder fragment (`#` en wat daarna komt). Leeg mag niet.",
        why: "Ontvangers zoeken het dataschema op met deze URI. Een relatieve verwijzing leidt buiten de bron nergens toe, en een URI met fragment wordt door de ene software wel en door de andere niet gevonden.",
        fix: "Schrijf het volledige adres, bijvoorbeeld `https://example.com/schemas/verhuisd.json`, zonder `#` en wat daarna komt.",
    },
    good: Example::Event(r#""dataschema":"https://example.com/schemas/verhuisd.json""#),
    bad: Example::Event(r#""dataschema":"/schemas/verhuisd.json""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("dataschema", is_absolute_uri))),
};
