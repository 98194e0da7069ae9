use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-TYPE-1",
    en: Texts {
        title: "Attribute of the specification that is not a JSON string",
        explanation: "The attributes of the specification are JSON strings, `time` included. Extensions of type String, URI, URI-reference, Timestamp or Binary are strings too.",
        why: "A receiver refuses a number or a boolean there. As a number, `id` `007` cannot even be written, and a `specversion` of 1.0 becomes 1.",
        fix: "Put the value in quotes: `\"id\": \"25\"`; write `time` as `\"2018-04-05T17:31:00Z\"`.",
    },
    nl: Texts {
        title: "Attribuut uit de specificatie dat geen JSON-string is",
        explanation: "De attributen uit de specificatie zijn JSON-strings: tekst tussen aanhalingstekens, ook `time`. Hetzelfde geldt voor extensies van het type String, URI, URI-reference, Timestamp of Binary.",
        why: "Een ontvanger weigert op die plaats een getal of boolean. Als getal is het `id` `007` niet eens te schrijven, en wordt de `specversion` 1.0 gelijk aan 1.",
        fix: "Zet de waarde tussen aanhalingstekens: `\"id\": \"25\"`. Schrijf `time` als `\"2018-04-05T17:31:00Z\"`.",
    },
    good: Example::Event(r#""time":"2018-04-05T17:31:00Z""#),
    bad: Example::Event(r#""time":1522949460"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        let is_text = |value: &Value<'_>| matches!(value, Value::Text(_) | Value::Broken(_));
        found.all(
            event
                .set()
                .filter(|attribute| attribute.is_core() && !is_text(&attribute.value)),
        );
    }),
};
