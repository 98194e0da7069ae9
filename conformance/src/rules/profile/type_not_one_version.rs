use crate::grammar::nl_type::{Version, versions};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-10",
    en: Texts {
        title: "Version in `type` is not one number with prefix `v`",
        explanation: "A `type` with a version holds one single version number, and its prefix is `v`. Read here as one whole number: `v2`.",
        why: "Consumers subscribe to types by name; several notations for versions make them miss events.",
        fix: "Write `nl.brp.huwelijk-voltrokken.v2`.",
    },
    nl: Texts {
        title: "Versie in `type` is niet één nummer met voorvoegsel `v`",
        explanation: "Een `type` met een versie bevat één enkel versienummer met het voorvoegsel `v`. Hier gelezen als één geheel getal: `v2`.",
        why: "Afnemers abonneren zich op typen bij naam. Bij verschillende schrijfwijzen van versies missen zij gebeurtenissen.",
        fix: "Schrijf `nl.brp.huwelijk-voltrokken.v2`.",
    },
    good: Example::Event(r#""type":"nl.brp.huwelijk-voltrokken.v2""#),
    bad: Example::Event(r#""type":"nl.brp.v1.huwelijk-voltrokken.v2""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let one = Version {
        has_prefix: true,
        numbers: 1,
    };
    let is_fine = |ty: &str| match *versions(ty) {
        [] => true,
        [version] => version == one,
        _ => false,
    };
    found.all(event.matching("type", |ty| !is_fine(ty)));
}
