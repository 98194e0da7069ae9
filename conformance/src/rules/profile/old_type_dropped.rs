use std::collections::BTreeMap;

use super::MOST_VERSIONS;
use crate::grammar::nl_type::name_and_numbers;
use crate::memory::fingerprint;
use crate::report::shorten;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-6",
    en: Texts {
        title: "Old version of `type` stops where the new one starts",
        explanation: "After a new version of a type, the old one is published beside it for some time. Judged at the end of a stream that is shown whole, when two events of the new version came and none of the old one after the first of them.",
        why: "Consumers that know the old type alone receive nothing from that moment, and see no error.",
        fix: "Publish each event under both types, announce an end date for the old one, and keep to it.",
    },
    nl: Texts {
        title: "Oude versie van `type` stopt waar de nieuwe begint",
        explanation: "Na een nieuwe versie van een type wordt de oude nog een tijd ernaast gepubliceerd. Beoordeeld aan het eind van een volledige reeks, als daarin twee gebeurtenissen van de nieuwe versie staan en na de eerste daarvan geen van de oude.",
        why: "Afnemers die alleen het oude type kennen, ontvangen vanaf dat moment niets meer en zien geen fout.",
        fix: "Publiceer elke gebeurtenis onder beide typen, kondig een einddatum voor het oude type aan en houd die aan.",
    },
    good: Example::Stream(&[
        r#""id":"1","type":"nl.brp.a.v1""#,
        r#""id":"2","type":"nl.brp.a.v2""#,
        r#""id":"3","type":"nl.brp.a.v1""#,
        r#""id":"4","type":"nl.brp.a.v2""#,
    ]),
    bad: Example::Stream(&[
        r#""id":"1","type":"nl.brp.a.v1""#,
        r#""id":"2","type":"nl.brp.a.v2""#,
        r#""id":"3","type":"nl.brp.a.v2""#,
    ]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|facts: StreamFacts| {
        Box::new(Versions {
            is_complete: facts.is_complete,
            events: 0,
            names: BTreeMap::new(),
            types: 0,
        })
    }),
};

/// Types that are remembered; all are forgotten when there are more.
const MOST: usize = 10_000;

/// When the events of a version came, counted in events.
#[derive(Debug)]
struct Times {
    /// As it is shown.
    ty: String,
    first: u64,
    last: u64,
}

#[derive(Debug)]
struct Versions {
    /// An excerpt may leave out what this looks for.
    is_complete: bool,
    events: u64,
    /// By lane, source and name of a type: between lanes nobody knows what came first.
    names: BTreeMap<u64, BTreeMap<Vec<u64>, Times>>,
    types: usize,
}

impl Watch for Versions {
    fn see(&mut self, event: &Event<'_>, _: &mut Found<'_>) {
        let (Some(source), Some(ty)) = (event.text("source"), event.text("type")) else {
            return;
        };
        if !self.is_complete {
            return;
        }
        if self.types >= MOST {
            (self.types, self.names) = Default::default();
        }
        self.events += 1;
        let now = self.events;
        let (name, numbers) = name_and_numbers(ty);
        let key = fingerprint(&(event.lane, source, name));
        let versions = self.names.entry(key).or_default();
        if versions.len() >= MOST_VERSIONS {
            return;
        }
        let first = || {
            self.types += 1;
            Times {
                ty: shorten(ty),
                first: now,
                last: now,
            }
        };
        versions.entry(numbers).or_insert_with(first).last = now;
    }

    fn end(&mut self, found: &mut Found<'_>) {
        for versions in self.names.values() {
            for (old, new) in versions.values().zip(versions.values().skip(1)) {
                if old.last < new.first && new.first < new.last {
                    found.message(&format!("{}, {}", old.ty, new.ty));
                }
            }
        }
    }
}
