use crate::grammar::nl_source::{Organisation, is_government, is_oin, parse};
use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-SOURCE-4",
    en: Texts {
        title: "Government organisation in `source` without an OIN of 20 digits",
        explanation: "A Dutch government organisation is identified by its OIN: `oin:` and 20 digits. Also reported for names that begin with `gemeente-`, `provincie-`, `waterschap-` or `ministerie-`, although the profile has such an example.",
        why: "Names change when organisations merge, and are spelled in several ways; a number with a digit missing cannot be found in the OIN register.",
        fix: "Look up the number in the OIN register, and write all 20 digits: `urn:nld:oin:00000001823288444000:systeem:BRP-component`.",
    },
    nl: Texts {
        title: "Overheidsorganisatie in `source` zonder OIN van 20 cijfers",
        explanation: "Een Nederlandse overheidsorganisatie wordt aangeduid met haar OIN: `oin:` en 20 cijfers. Ook gemeld bij namen die beginnen met `gemeente-`, `provincie-`, `waterschap-` of `ministerie-`, al staat zo’n voorbeeld in het profiel.",
        why: "Namen veranderen bij een herindeling en worden verschillend geschreven. Een nummer waaraan een cijfer ontbreekt, is niet te vinden in het OIN-register.",
        fix: "Zoek het nummer op in het OIN-register en neem alle 20 cijfers over: `urn:nld:oin:00000001823288444000:systeem:BRP-component`.",
    },
    good: Example::Event(""),
    bad: Example::Event(r#""source":"urn:nld:gemeente-nijmegen.burgerzakensysteem""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let lacks_oin = |source: &str| match parse(source).map(|source| source.organisation) {
        Some(Organisation::Oin(number)) => !is_oin(number),
        Some(Organisation::Name(name)) => is_government(name),
        Some(Organisation::Kvk(_)) | None => false,
    };
    let is_so = |source: &str| is_uri_reference(source) && lacks_oin(source);
    found.all(event.matching("source", is_so));
}
