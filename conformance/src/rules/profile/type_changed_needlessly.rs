//! NL-TYPE-4: a new version of a type although nothing was taken away.

use std::collections::{BTreeMap, HashMap};

use crate::grammar::nl_type::name_and_numbers;
use crate::reading::Event;
use crate::reading::shape::{Kind, data_members};
use crate::rule::{
    Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, StreamFacts, Text, Watch,
};

pub(crate) const RULE: Rule = Rule {
    id: "NL-TYPE-4",
    level: Levels::nl_gov(Level::Should),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.3.4 type",
    title: Text {
        en: "New version of `type` although the data only grew",
        nl: "Nieuwe versie van `type` terwijl de data alleen is uitgebreid",
    },
    explanation: Text {
        en: "`type` stays the same when the data changes compatibly. Judged by JSON data: reported where the first event of a new version has every member of the version before, with values of the same kind.",
        nl: "`type` blijft gelijk als de data compatibel wijzigt. Beoordeeld aan de hand van JSON-data: gemeld als de eerste gebeurtenis van een nieuwe versie alle velden van de vorige versie heeft, met waarden van dezelfde soort.",
    },
    why: Text {
        en: "Every consumer has to subscribe again and change its software for a change that would not have touched it.",
        nl: "Elke afnemer moet zich opnieuw abonneren en zijn software aanpassen voor een wijziging die hem niet zou raken.",
    },
    fix: Text {
        en: "Add members under the same type, and take a new version when members disappear or change their meaning.",
        nl: "Voeg velden toe onder hetzelfde type en neem een nieuwe versie als velden verdwijnen of een andere betekenis krijgen.",
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
    check: Check::Stream(|_: StreamFacts| Box::new(Shapes::default())),
};

/// Names that are remembered; all are forgotten when there are more.
const MOST: usize = 10_000;

/// Versions of one name that are remembered; with more of them, the number is no version.
const MOST_VERSIONS: usize = 100;

/// Members of the data by their place, with the kinds of their values.
type Shape = BTreeMap<String, Kind>;

/// By source and name of a type: what the data of each version held so far.
#[derive(Debug, Default)]
struct Shapes(HashMap<(String, String), BTreeMap<Vec<u64>, Shape>>);

impl Watch for Shapes {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let (Some(source), Some(ty)) = (event.text("source"), event.attribute("type")) else {
            return;
        };
        let members = data_members(event).into_iter();
        let shape: Shape = members
            .map(|member| (member.pointer, member.kind))
            .collect();
        let (name, numbers) = name_and_numbers(ty.text().unwrap_or_default());
        if self.0.len() >= MOST {
            self.0.clear();
        }
        let versions = self.0.entry((source.to_owned(), name)).or_default();
        if let Some(known) = versions.get_mut(&numbers) {
            known.extend(shape);
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
        versions.insert(numbers, shape);
    }
}
