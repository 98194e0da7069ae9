//! NL-TYPE-5: data that changes under the same type.

use std::collections::HashMap;

use crate::reading::Event;
use crate::reading::shape::{Kind, data_members};
use crate::rule::{
    Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, StreamFacts, Text, Watch,
};

pub(crate) const RULE: Rule = Rule {
    id: "NL-TYPE-5",
    level: Levels::nl_gov(Level::Should),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.3.4 type",
    title: Text {
        en: "Data changed incompatibly under the same `type`",
        nl: "Incompatibele wijziging van de data onder hetzelfde `type`",
    },
    explanation: Text {
        en: "`type` changes when the data changes incompatibly. Judged by JSON data: reported where a member holds another kind of value than before, say an object instead of text. Null counts for nothing.",
        nl: "`type` verandert als de data incompatibel wijzigt. Beoordeeld aan de hand van JSON-data: gemeld als een veld een ander soort waarde heeft dan eerst, bijvoorbeeld een object in plaats van tekst. Null telt niet mee.",
    },
    why: Text {
        en: "Consumers read the new data with the software for the old, and fail on events they have already acknowledged.",
        nl: "Afnemers lezen de nieuwe data met de software voor de oude, en lopen vast op gebeurtenissen die zij al hebben bevestigd.",
    },
    fix: Text {
        en: "Publish the new form under a new type, such as `nl.brp.a.v2`.",
        nl: "Publiceer de nieuwe vorm onder een nieuw type, zoals `nl.brp.a.v2`.",
    },
    good: Example::Stream(&[
        r#""id":"1","data":{"naam":"A"}"#,
        r#""id":"2","data":{"naam":"B","plaats":null}"#,
    ]),
    bad: Example::Stream(&[
        r#""id":"1","data":{"naam":"A"}"#,
        r#""id":"2","data":{"naam":{"voornaam":"B"}}"#,
    ]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|_: StreamFacts| Box::new(Kinds::default())),
};

/// Types that are remembered; all are forgotten when there are more.
const MOST: usize = 10_000;

/// By source and type: the kinds of values that each member of the data has had.
#[derive(Debug, Default)]
struct Kinds(HashMap<(String, String), HashMap<String, Vec<Kind>>>);

impl Watch for Kinds {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let (Some(source), Some(ty)) = (event.text("source"), event.text("type")) else {
            return;
        };
        if self.0.len() >= MOST {
            self.0.clear();
        }
        let known = self
            .0
            .entry((source.to_owned(), ty.to_owned()))
            .or_default();
        for member in data_members(event) {
            let kinds = known.entry(member.pointer.clone()).or_default();
            if kinds.contains(&member.kind) {
                continue;
            }
            if !kinds.is_empty() {
                found.in_data(event, &member);
            }
            kinds.push(member.kind);
        }
        if known.len() > MOST_MEMBERS {
            known.clear();
        }
    }
}

/// Members that are remembered of one type; data whose members have names of their own has no end.
const MOST_MEMBERS: usize = 1_000;
