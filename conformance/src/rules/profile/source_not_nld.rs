use crate::grammar::nl_source;
use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-SOURCE-1",
    en: Texts {
        title: "`source` is not a URN with namespace `nld`",
        explanation: "`source` is a URN whose namespace identifier is `nld`: `urn:nld:`, the organisation, and the system.",
        why: "One form for all makes it clear which organisation and which system published an event, and outlives addresses.",
        fix: "Write `urn:nld:oin:00000001823288444000:systeem:BRP-component`, with your own OIN and system.",
    },
    nl: Texts {
        title: "`source` is geen URN met naamruimte `nld`",
        explanation: "`source` is een URN met `nld` als namespace identifier: `urn:nld:`, daarna de organisatie en het systeem.",
        why: "Eén vorm voor iedereen maakt duidelijk welke organisatie en welk systeem een gebeurtenis publiceerde, en overleeft adreswijzigingen.",
        fix: "Schrijf `urn:nld:oin:00000001823288444000:systeem:BRP-component`, met het eigen OIN en systeem.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""source":"https://github.com/cloudevents""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    // What is no URI-reference is CE-SOURCE-2's.
    let is_fine = |source: &str| {
        source.is_empty() || !is_uri_reference(source) || nl_source::parse(source).is_some()
    };
    found.all(event.matching("source", |source| !is_fine(source)));
}
