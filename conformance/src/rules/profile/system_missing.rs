use crate::grammar::nl_source::parse;
use crate::grammar::uri::is_uri_reference;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-SOURCE-2",
    en: Texts {
        title: "`source` names no system",
        explanation: "Behind `urn:nld:` comes the organisation that publishes, and then the system. The word `systeem` alone names none.",
        why: "`id` is unique within a source. Two systems of one organisation that share a source will sooner or later use the same `id`, and receivers drop the second event.",
        fix: "Add the system: `urn:nld:kvknr:09220932.burgerzakensysteem`.",
    },
    nl: Texts {
        title: "`source` noemt geen systeem",
        explanation: "Na `urn:nld:` staat eerst de organisatie die publiceert en daarna het systeem. Het woord `systeem` alleen noemt er geen.",
        why: "Een `id` is uniek binnen een bron. Twee systemen van één organisatie met dezelfde bron gebruiken vroeg of laat hetzelfde `id`. Ontvangers laten de tweede gebeurtenis dan weg.",
        fix: "Voeg het systeem toe: `urn:nld:kvknr:09220932.burgerzakensysteem`.",
    },
    good: Example::Event(r#""source":"urn:nld:kvknr:09220932.burgerzakensysteem""#),
    bad: Example::Event(r#""source":"urn:nld:kvknr:09220932""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let names_none = |source: &str| {
            is_uri_reference(source) && parse(source).is_some_and(|source| !source.has_system)
        };
        found.all(event.matching("source", names_none));
    }),
};
