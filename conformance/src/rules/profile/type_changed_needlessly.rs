use std::collections::{BTreeMap, HashMap};

use super::MOST_VERSIONS;
use crate::grammar::nl_type::name_and_numbers;
use crate::memory::fingerprint;
use crate::reading::shape::Kind;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-4",
    en: Texts {
        title: "New version of `type` although the data only grew",
        explanation: "`type` stays the same when the data changes compatibly. Judged by JSON data: reported where the first event of a new version has every member of the version before, with values of the same kind.",
        why: "Every consumer has to subscribe again and change its software for a change that would not have touched it.",
        fix: "Add members under the same type, and take a new version when members disappear or change their meaning.",
    },
    nl: Texts {
        title: "Nieuwe versie van `type` terwijl de data alleen is uitgebreid",
        explanation: "`type` blijft gelijk als de data compatibel wijzigt. Beoordeeld aan de hand van JSON-data: gemeld als de eerste gebeurtenis van een nieuwe versie alle velden van de vorige versie heeft, met waarden van dezelfde soort.",
        why: "Elke afnemer moet zich opnieuw abonneren en zijn software aanpassen voor een wijziging die hem niet zou raken.",
        fix: "Voeg velden toe onder hetzelfde type en neem een nieuwe versie als velden verdwijnen of een andere betekenis krijgen.",
    },
    good: Example::Stream(&[
        r#""id":"1","type":"nl.brp.a.v1","data":{"naam":"A"}"#,
        r#""id":"2","type":"nl.brp.a.v2","data":{"naam":{"voornaam":"A"}}"#,
    ]),
    bad: Example::Stream(&[
        r#""id":"1","type":"nl.brp.a.v1","data":{"naam":"A"}"#,
        r#""id":"2","type":"nl.brp.a.v2","data":{"naam":"A","plaats":"B"}"#,
    ]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|_: StreamFacts| Box::new(Versions::default())),
};

/// Names that are remembered; all are forgotten when there are more.
const MOST: usize = 10_000;

/// Members that are remembered, of all data together; all are forgotten when there are more. Data whose
/// members have names of their own has no end.
const MOST_MEMBERS: usize = 1 << 18;

/// Members of the data by their place, with the kinds of their values.
type Known = BTreeMap<u64, Kind>;

/// What the data of each version held so far.
#[derive(Debug, Default)]
struct Versions {
    /// By source and name of a type.
    names: HashMap<u64, BTreeMap<Vec<u64>, Known>>,
    members: usize,
    /// By source and type: the shape that came last, which most data has again.
    shapes: HashMap<u64, u64>,
}

impl Watch for Versions {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let (Some(source), Some(ty)) = (event.text("source"), event.attribute("type")) else {
            return;
        };
        if self.shapes.len() >= MOST || self.members >= MOST_MEMBERS {
            *self = Self::default();
        }
        let (text, shape) = (ty.text().unwrap_or_default(), event.shape());
        let last = self
            .shapes
            .insert(fingerprint(&(source, text)), shape.fingerprint);
        if last == Some(shape.fingerprint) {
            return;
        }
        let members = shape.members.iter();
        let shape: Known = members.map(|member| (member.path, member.kind)).collect();
        let (name, numbers) = name_and_numbers(text);
        let versions = self.names.entry(fingerprint(&(source, name))).or_default();
        if let Some(known) = versions.get_mut(&numbers) {
            self.members -= known.len();
            known.extend(shape);
            self.members += known.len();
            return;
        }
        if versions.len() >= MOST_VERSIONS {
            return;
        }
        if let Some((_, before)) = versions.range::<Vec<u64>, _>(..&numbers).next_back() {
            let mut members = before.iter();
            if !before.is_empty() && members.all(|(at, kind)| shape.get(at) == Some(kind)) {
                found.at(ty);
            }
        }
        self.members += shape.len();
        versions.insert(numbers, shape);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;
    use crate::report::{Breach, Checked, Kind as Checkable, Part, Severity};
    use crate::rule::Profile;

    fn see(versions: &mut Versions, ty: &str, data: &str) {
        let capture = Capture::event(format!(
            r#"{{"specversion":"1.0","id":"1","source":"/a","type":"{ty}","data":{data}}}"#
        ));
        let breach = Breach {
            rule: crate::rules::rule(RULE.id).expect("the catalogue has it"),
            profile: Profile::NlGov11,
            severity: Severity::Error,
            refuses: false,
            part: Part::Message,
            protocol: Protocol::File,
            element: None,
            about: About::Other,
            body: capture.body(),
        };
        let ledger = &mut Checked::new(Checkable::Stream);
        let reading = Reading::of(&capture);
        versions.see(&reading.events[0], &mut Found { breach, ledger });
    }

    /// How many members it holds, counted anew.
    fn held(versions: &Versions) -> usize {
        let names = versions.names.values();
        names.flat_map(BTreeMap::values).map(BTreeMap::len).sum()
    }

    #[test]
    fn what_is_remembered_is_counted_and_bounded() {
        let mut versions = Versions::default();
        for (ty, data, members) in [
            ("nl.a.b.v1", r#"{"a":1,"b":{"c":2}}"#, 3),
            ("nl.a.b.v1", r#"{"a":1,"d":2}"#, 4),
            ("nl.a.b.v1", r#"{"a":1,"d":2}"#, 4),
            ("nl.a.b.v2", r#"{"a":1}"#, 5),
            ("nl.a.c", "[]", 5),
        ] {
            see(&mut versions, ty, data);
            assert_eq!((versions.members, held(&versions)), (members, members));
        }
        versions.members = MOST_MEMBERS;
        see(&mut versions, "nl.a.d", r#"{"a":1}"#);
        assert_eq!((versions.members, held(&versions)), (1, 1));
        for number in 0..MOST {
            versions.shapes.insert(number as u64, 0);
        }
        see(&mut versions, "nl.a.e", r#"{"a":1,"b":1}"#);
        assert_eq!((versions.shapes.len(), held(&versions)), (1, 2));
    }
}
