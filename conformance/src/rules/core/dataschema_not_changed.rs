use crate::memory::{Memory, fingerprint};
use crate::reading::shape::Shape;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DATASCHEMA-2",
    en: Texts {
        title: "Data changed incompatibly under the same `dataschema`",
        explanation: "An incompatible change of the data shows as another `dataschema`. Judged on JSON data: under one URI, a member at its top keeps its kind and does not turn from text into a number, a list or an object.",
        why: "Consumers build their software on the schema. When a text turns into a number under the same URI, that software fails on events that seem to be as agreed.",
        fix: "Give the changed schema a URI of its own, for example with a version number in it.",
    },
    nl: Texts {
        title: "Incompatibele wijziging van de data onder hetzelfde `dataschema`",
        explanation: "Een incompatibele wijziging van de data is zichtbaar aan een ander `dataschema`. Beoordeeld bij JSON-data: onder dezelfde URI houdt een veld op het hoogste niveau zijn soort en verandert het niet van tekst in een getal, lijst of object.",
        why: "Afnemers bouwen hun software op het schema. Als een tekst onder dezelfde URI een getal wordt, loopt die software vast op gebeurtenissen die volgens afspraak lijken.",
        fix: "Geef het gewijzigde schema een eigen URI, bijvoorbeeld met een versienummer erin.",
    },
    good: Example::Stream(&[
        r#""id":"1","dataschema":"https://example.com/v1","data":{"bsn":"012"}"#,
        r#""id":"2","dataschema":"https://example.com/v2","data":{"bsn":12}"#,
    ]),
    bad: Example::Stream(&[
        r#""id":"1","dataschema":"https://example.com/v1","data":{"bsn":"012"}"#,
        r#""id":"2","dataschema":"https://example.com/v1","data":{"bsn":12}"#,
    ]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|_: StreamFacts| Box::new(Kinds::default())),
};

/// What the data under each schema has held so far.
#[derive(Debug, Default)]
struct Kinds {
    /// By schema and member at the top: the kinds of its values, as bits.
    members: Memory<u8>,
    /// By schema: the shape that came last, which most data has again.
    shapes: Memory<u64>,
}

impl Watch for Kinds {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let Some(schema) = event.attribute("dataschema") else {
            return;
        };
        let (key, shape) = (fingerprint(&schema.value), event.shape());
        if self.shapes.get(key) == Some(&shape.fingerprint) {
            return;
        }
        self.shapes.put(key, shape.fingerprint);
        let members = shape.members.iter().filter(|member| member.is_at_top());
        let members = members.map(|member| (member.path, member.kind));
        let whole = shape.whole.map(|kind| (Shape::WHOLE, kind));
        let mut is_changed = false;
        for (path, kind) in whole.into_iter().chain(members) {
            let (key, kind) = (fingerprint(&(key, path)), 1 << kind as u8);
            let before = self.members.get(key).copied().unwrap_or(kind);
            is_changed |= before & kind == 0;
            self.members.put(key, before | kind);
        }
        if is_changed {
            found.at(schema);
        }
    }
}
