//! CE-ID-3: two events with one `source` and `id`.

use crate::json;
use crate::reading::Event;
use crate::rule::memory::{Memory, fingerprint};
use crate::rule::{
    Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, StreamFacts, Text, Watch,
};

pub(crate) const RULE: Rule = Rule {
    id: "CE-ID-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, id and source",
    title: Text {
        en: "Two different events with the same `source` and `id`",
        nl: "Twee verschillende gebeurtenissen met dezelfde `source` en `id`",
    },
    explanation: Text {
        en: "Two distinct events never share `source` and `id`. The same event delivered again is no breach; the same pair with other content is.",
        nl: "Twee verschillende gebeurtenissen hebben nooit dezelfde combinatie van `source` en `id`. Dezelfde gebeurtenis opnieuw afleveren mag; dezelfde combinatie met andere inhoud niet.",
    },
    why: Text {
        en: "Receivers drop what they take for a repeat, so the second event is lost.",
        nl: "Ontvangers laten weg wat zij voor een herhaling houden. De tweede gebeurtenis gaat dan verloren.",
    },
    fix: Text {
        en: "Take a new `id` for each event, for example a UUID.",
        nl: "Gebruik voor elke gebeurtenis een nieuw `id`, bijvoorbeeld een UUID.",
    },
    good: Example::Stream(&[
        r#""subject":"a""#,
        r#""subject":"a""#,
        r#""id":"2","subject":"b""#,
    ]),
    bad: Example::Stream(&[r#""subject":"a""#, r#""subject":"b""#]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|_: StreamFacts| Box::new(Seen::default())),
};

/// The content of events, by their pair.
#[derive(Debug, Default)]
struct Seen(Memory<u64>);

impl Watch for Seen {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let (Some(source), Some(id)) = (event.text("source"), event.attribute("id")) else {
            return;
        };
        let (pair, content) = (fingerprint(&(source, id.text())), content(event));
        if self.0.get(pair).is_some_and(|before| *before != content) {
            found.at(id);
        }
        self.0.put(pair, content);
    }
}

/// All that is set, in any order.
fn content(event: &Event<'_>) -> u64 {
    let attributes = event.set();
    let mut attributes: Vec<_> = attributes
        .map(|attribute| (&attribute.name, &attribute.value))
        .collect();
    attributes.sort_unstable();
    let raw = |value: Option<json::Value<'_>>| value.map(|value| fingerprint(&value.raw));
    fingerprint(&(
        attributes,
        raw(event.data),
        raw(event.data_base64),
        event.body,
    ))
}
