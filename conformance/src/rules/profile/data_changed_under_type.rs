use crate::memory::{Memory, fingerprint};
use crate::reading::shape::Shape;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-TYPE-5",
    en: Texts {
        title: "Data changed incompatibly under the same `type`",
        explanation: "`type` changes when the data changes incompatibly. Judged by JSON data: reported where it, or a member of it, holds another kind of value than before, say an object instead of text. Null counts for nothing.",
        why: "Consumers read the new data with the software for the old, and fail on events they have already acknowledged.",
        fix: "Publish the new form under a new type, such as `nl.brp.a.v2`.",
    },
    nl: Texts {
        title: "Incompatibele wijziging van de data onder hetzelfde `type`",
        explanation: "`type` verandert als de data incompatibel wijzigt. Beoordeeld aan de hand van JSON-data: gemeld als de data of een veld ervan een ander soort waarde heeft dan eerst, bijvoorbeeld een object in plaats van tekst. Null telt niet mee.",
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
    /// By source, type and member of the data, or the data itself: the kinds of its values, as bits.
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
        let whole = shape.whole.map(|kind| (Shape::WHOLE, kind, None));
        let members = shape.members.iter();
        let members = members.map(|member| (member.path, member.kind, Some(member)));
        for (path, kind, member) in whole.into_iter().chain(members) {
            let (key, kind) = (fingerprint(&(ty, path)), 1 << kind as u8);
            let before = self.members.get(key).copied().unwrap_or(kind);
            match member {
                _ if before & kind != 0 => {}
                Some(member) => found.in_data(event, member),
                None if event.is_json() => found.members(event, "data"),
                None => found.body(0),
            }
            self.members.put(key, before | kind);
        }
    }
}
