use crate::grammar::uri::{has_scheme, is_uri_reference};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SOURCE-3",
    en: Texts {
        title: "`source` is a relative reference",
        explanation: "`source` is best an absolute URI: one that begins with a scheme, such as `urn:` or `https:`.",
        why: "A path such as `/zaken` means something within one organisation only. Elsewhere two systems may have the same `source`, and then their ids collide.",
        fix: "Write the whole URI: `urn:nld:kvknr:09220932.zaken` instead of `/zaken`.",
    },
    nl: Texts {
        title: "`source` is een relatieve verwijzing",
        explanation: "`source` is bij voorkeur een absolute URI, die begint met een URI-schema zoals `urn:` of `https:`.",
        why: "Een pad als `/zaken` heeft alleen binnen één organisatie betekenis. Daarbuiten kunnen twee systemen dezelfde `source` hebben, en dan botsen hun id’s.",
        fix: "Schrijf de volledige URI: `urn:nld:kvknr:09220932.zaken` in plaats van `/zaken`.",
    },
    good: Example::Event(r#""source":"urn:nld:kvknr:09220932.zaken""#),
    bad: Example::Event(r#""source":"/zaken""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_relative =
            |source: &str| !source.is_empty() && is_uri_reference(source) && !has_scheme(source);
        found.all(event.matching("source", is_relative));
    }),
};
