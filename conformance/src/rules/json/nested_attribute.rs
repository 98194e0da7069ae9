use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-TYPE-3",
    en: Texts {
        title: "Attribute that is an object or an array",
        explanation: "An attribute is a string, a number or a boolean. Booleans are `true` and `false`, and no attribute is an object or an array.",
        why: "A nested value cannot travel as a header, and receivers refuse the event.",
        fix: "Move the object into `data`, or make an extension of each value in it.",
    },
    nl: Texts {
        title: "Attribuut dat een object of een lijst is",
        explanation: "Een attribuut is een tekst, een getal of een boolean. Booleans zijn `true` en `false`, en geen enkel attribuut is een object of een lijst.",
        why: "Een samengestelde waarde kan niet als header reizen, en ontvangers weigeren de gebeurtenis.",
        fix: "Verplaats het object naar `data`, of maak van elke waarde erin een eigen extensie.",
    },
    good: Example::Event(r#""ext":true"#),
    bad: Example::Event(r#""ext":{"a":1}"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        let is_nested = |value: &Value<'_>| matches!(value, Value::Nested(_));
        found.all(event.set().filter(|attribute| is_nested(&attribute.value)));
    }),
};
