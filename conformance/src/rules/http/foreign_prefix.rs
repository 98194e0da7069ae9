use std::collections::BTreeSet;

use crate::grammar::name::{CORE, REQUIRED};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-4",
    en: Texts {
        title: "Attribute under another prefix than `ce-`",
        explanation: "On HTTP the header of an attribute is `ce-` and its name. Reported for headers such as `ce_time` that name an attribute of the specification, where the required attributes are all there under one prefix or another.",
        why: "Readers look for `ce-` only, so the attribute is lost; a missing required attribute costs the whole event. Some web servers also drop headers with an underscore.",
        fix: "Write `ce-time` instead of `ce_time`; `ce_` is the prefix of Kafka.",
    },
    nl: Texts {
        title: "Attribuut met een ander voorvoegsel dan `ce-`",
        explanation: "Bij HTTP is de header van een attribuut `ce-` met de naam erachter. Gemeld voor headers zoals `ce_time` die een attribuut uit de specificatie noemen, als de verplichte attributen er allemaal zijn onder het ene of het andere voorvoegsel.",
        why: "Ontvangers zoeken alleen naar `ce-`, zodat het attribuut verloren gaat. Ontbreekt zo een verplicht attribuut, dan gaat de hele gebeurtenis verloren. Sommige webservers verwijderen bovendien headers met een liggend streepje.",
        fix: "Schrijf `ce-time` in plaats van `ce_time`; `ce_` is het voorvoegsel van Kafka.",
    },
    good: Example::Message(Protocol::Http, "ce-time: 2021-12-10T17:31:00Z"),
    bad: Example::Message(Protocol::Http, "ce_time: 2021-12-10T17:31:00Z"),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Http),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    if !matches!(reading.mode, Mode::Binary | Mode::NotAnEvent) {
        return;
    }
    let core = |name: &str| CORE.into_iter().find(|core| *core == name);
    let own = reading.attribute_headers();
    let own: BTreeSet<_> = own.filter_map(|(name, _)| core(&name)).collect();
    let foreign: Vec<_> = reading
        .capture
        .headers
        .iter()
        .filter_map(|header| Some((foreign_name(&header.name)?, header)))
        .collect();
    let is_there =
        |name: &&str| own.contains(name) || foreign.iter().any(|(other, _)| other == name);
    if REQUIRED.iter().all(is_there) {
        for (name, header) in &foreign {
            if core(name).is_some_and(|name| !own.contains(name)) {
                found.header(header);
            }
        }
    }
}

/// What follows a prefix that other bindings, older versions and Camel use.
fn foreign_name(header: &str) -> Option<String> {
    let header = header.to_ascii_lowercase();
    let prefixes = [
        "ce_",
        "x-ce-",
        "cloudevents-",
        "cloudevents_",
        "camelcloudevent",
    ];
    let mut names = prefixes
        .into_iter()
        .filter_map(|prefix| header.strip_prefix(prefix));
    let name = match names.next()? {
        // So Camel calls it.
        "version" => "specversion",
        name => name,
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_others_are_known() {
        for (header, expected) in [
            ("CamelCloudEventID", Some("id")),
            ("CamelCloudEventVersion", Some("specversion")),
            ("X-CE-Time", Some("time")),
            ("ce-id", None),
        ] {
            assert_eq!(foreign_name(header).as_deref(), expected, "{header}");
        }
    }
}
