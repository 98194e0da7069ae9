//! CE-DATASCHEMA-2: other data under the same `dataschema`.

use crate::grammar::media_type;
use crate::json::{self, Document};
use crate::reading::Event;
use crate::rule::memory::Memory;
use crate::rule::{
    Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, StreamFacts, Text, Watch,
};

pub(crate) const RULE: Rule = Rule {
    id: "CE-DATASCHEMA-2",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, dataschema",
    title: Text {
        en: "Data changed incompatibly under the same `dataschema`",
        nl: "Incompatibele wijziging van de data onder hetzelfde `dataschema`",
    },
    explanation: Text {
        en: "An incompatible change of the data shows as another `dataschema`. Judged on JSON data: under one URI, a member at its top keeps its kind and does not turn from text into a number, a list or an object.",
        nl: "Een incompatibele wijziging van de data is zichtbaar aan een ander `dataschema`. Beoordeeld bij JSON-data: onder dezelfde URI houdt een veld op het hoogste niveau zijn soort en verandert het niet van tekst in een getal, lijst of object.",
    },
    why: Text {
        en: "Consumers build their software on the schema. When a text turns into a number under the same URI, that software fails on events that seem to be as agreed.",
        nl: "Afnemers bouwen hun software op het schema. Als een tekst onder dezelfde URI een getal wordt, loopt die software vast op gebeurtenissen die volgens afspraak lijken.",
    },
    fix: Text {
        en: "Give the changed schema a URI of its own, for example with a version number in it.",
        nl: "Geef het gewijzigde schema een eigen URI, bijvoorbeeld met een versienummer erin.",
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

/// The kinds of values seen so far, as bits, by schema and member; of the data itself where there is
/// no member.
#[derive(Debug, Default)]
struct Kinds(Memory<u8>);

impl Watch for Kinds {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let Some(schema) = event.attribute("dataschema") else {
            return;
        };
        let mut is_changed = false;
        for (member, kind) in kinds(event) {
            let key = (schema.text(), member);
            let before = self.0.get(&key).copied().unwrap_or(kind);
            is_changed |= before & kind == 0;
            self.0.put(&key, before | kind);
        }
        if is_changed {
            found.at(schema);
        }
    }
}

/// The kinds of JSON data and of the members at its top; null fits any.
fn kinds(event: &Event<'_>) -> Vec<(Option<String>, u8)> {
    let is_json = match event.text("datacontenttype") {
        Some(content_type) => media_type::is_json(content_type),
        None => event.is_json(),
    };
    let data = event.data.map(|data| data.raw.as_bytes()).or(event.body);
    let Some(Ok(document)) = data.filter(|_| is_json).map(json::parse) else {
        return Vec::new();
    };
    let (whole, members) = match document {
        Document::Object(members) => ("{", members),
        Document::Array(_) => ("[", Vec::new()),
        Document::Other(value) => (value.raw, Vec::new()),
    };
    let members = members.into_iter().filter_map(|member| {
        let kind = kind(member.value.raw)?;
        Some((Some(member.name.text.into_owned()), kind))
    });
    let whole = kind(whole).map(|kind| (None, kind));
    whole.into_iter().chain(members).collect()
}

fn kind(raw: &str) -> Option<u8> {
    match raw.as_bytes().first()? {
        b'n' => None,
        b'{' => Some(1),
        b'[' => Some(2),
        b'"' => Some(4),
        b't' | b'f' => Some(8),
        _ => Some(16),
    }
}
