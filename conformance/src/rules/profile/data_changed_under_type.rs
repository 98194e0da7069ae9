use crate::memory::{Memory, fingerprint};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-5",
    en: Texts {
        title: "Data changed incompatibly under the same `type`",
        explanation: "`type` changes when the data changes incompatibly. Judged by JSON data: reported where a member holds another kind of value than before, say an object instead of text. Null counts for nothing.",
        why: "Consumers read the new data with the software for the old, and fail on events they have already acknowledged.",
        fix: "Publish the new form under a new type, such as `nl.brp.a.v2`.",
    },
    nl: Texts {
        title: "Incompatibele wijziging van de data onder hetzelfde `type`",
        explanation: "`type` verandert als de data incompatibel wijzigt. Beoordeeld aan de hand van JSON-data: gemeld als een veld een ander soort waarde heeft dan eerst, bijvoorbeeld een object in plaats van tekst. Null telt niet mee.",
        why: "Afnemers lezen de nieuwe data met de software voor de oude, en lopen vast op gebeurtenissen die zij al hebben bevestigd.",
        fix: "Publiceer de nieuwe vorm onder een nieuw type, zoals `nl.brp.a.v2`.",
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

/// What the data of each type has held so far.
#[derive(Debug, Default)]
struct Kinds {
    /// By source, type and member of the data: the kinds of its values, as bits.
    members: Memory<u8>,
    /// By source and type: the shape that came last, which most data has again.
    shapes: Memory<u64>,
}

impl Watch for Kinds {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let (Some(source), Some(ty)) = (event.text("source"), event.text("type")) else {
            return;
        };
        let (ty, shape) = (fingerprint(&(source, ty)), event.shape());
        if self.shapes.get(ty) == Some(&shape.fingerprint) {
            return;
        }
        self.shapes.put(ty, shape.fingerprint);
        for member in &shape.members {
            let key = fingerprint(&(ty, member.path));
            let (before, kind) = (self.members.get(key).copied(), 1 << member.kind as u8);
            if before.is_some_and(|before| before & kind == 0) {
                found.in_data(event, member);
            }
            self.members.put(key, before.unwrap_or(0) | kind);
        }
    }
}
