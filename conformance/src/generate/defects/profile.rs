//! What the NL GOV profile forbids, and CloudEvents does not.

use super::{ALONE, defect};
use crate::generate::defect::{Change, Defect};
use crate::rule::Profile::NlGov11;

pub(super) const DEFECTS: &[Defect] = &[
    profile(
        "source-not-nld",
        &["NL-SOURCE-1"],
        Change::Attribute(
            "source",
            &["https://example.com/zaken", "urn:example:zaken"],
        ),
    ),
    profile(
        "source-without-system",
        &["NL-SOURCE-2"],
        Change::Attribute("source", &["urn:nld:oin:00000001823288444000"]),
    ),
    profile(
        "source-with-a-short-oin",
        &["NL-SOURCE-4"],
        Change::Attribute("source", &["urn:nld:oin:1823288444000:systeem:zaken"]),
    ),
    profile(
        "source-with-a-short-kvk-number",
        &["NL-SOURCE-5"],
        Change::Attribute("source", &["urn:nld:kvknr:9220932.zaken"]),
    ),
    profile(
        "type-not-a-reverse-domain-name",
        &["NL-TYPE-1"],
        Change::Attribute("type", &["PersonMoved", "moved"]),
    ),
    profile(
        "type-with-a-version-of-three-numbers",
        &["NL-TYPE-10"],
        Change::Attribute("type", &["nl.brp.persoon-verhuisd.v1.0.0"]),
    ),
    profile(
        "data-not-json",
        &["NL-DCT-1"],
        Change::Several(&[
            Change::Member("datacontenttype", &[r#""text/plain""#]),
            Change::Member("data", &[r#""1""#]),
        ]),
    ),
];

/// A defect by the profile alone: CloudEvents has nothing against it.
const fn profile(name: &'static str, rules: &'static [&'static str], change: Change) -> Defect {
    // In one mode, because the profile has an opinion about the others too.
    defect(name, rules, NlGov11, ALONE, change)
}
