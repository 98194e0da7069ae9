use crate::grammar::nl_source::{Organisation, is_government, is_oin, parse};
use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-SOURCE-4",
    level: Levels::nl_gov(Level::Should),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.3.2 source",
    title: Text {
        en: "Government organisation in `source` without an OIN of 20 digits",
        nl: "Overheidsorganisatie in `source` zonder OIN van 20 cijfers",
    },
    explanation: Text {
        en: "A Dutch government organisation is identified by its OIN: `oin:` and 20 digits. Also reported for names that begin with `gemeente-`, `provincie-`, `waterschap-` or `ministerie-`, although the profile has such an example.",
        nl: "Een Nederlandse overheidsorganisatie wordt aangeduid met haar OIN: `oin:` en 20 cijfers. Ook gemeld bij namen die beginnen met `gemeente-`, `provincie-`, `waterschap-` of `ministerie-`, al staat zo’n voorbeeld in het profiel.",
    },
    why: Text {
        en: "Names change when organisations merge, and are spelled in several ways; a number with a digit missing cannot be found in the OIN register.",
        nl: "Namen veranderen bij een herindeling en worden verschillend geschreven. Een nummer waaraan een cijfer ontbreekt, is niet te vinden in het OIN-register.",
    },
    fix: Text {
        en: "Look up the number in the OIN register, and write all 20 digits: `urn:nld:oin:00000001823288444000:systeem:BRP-component`.",
        nl: "Zoek het nummer op in het OIN-register en neem alle 20 cijfers over: `urn:nld:oin:00000001823288444000:systeem:BRP-component`.",
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
    let sources = event.named("source");
    found.all(sources.filter(|source| {
        let source = source.text();
        source.is_some_and(|source| is_uri_reference(source) && lacks_oin(source))
    }));
}
