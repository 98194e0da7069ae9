use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-TYPE-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 2.2 Type System Mapping",
    title: Text {
        en: "Attribute that is an object or an array",
        nl: "Attribuut dat een object of een lijst is",
    },
    explanation: Text {
        en: "An attribute is a string, a number or a boolean. Booleans are `true` and `false`, and no attribute is an object or an array.",
        nl: "Een attribuut is een tekst, een getal of een boolean. Booleans zijn `true` en `false`, en geen enkel attribuut is een object of een lijst.",
    },
    why: Text {
        en: "A nested value cannot travel as a header, and receivers refuse the event.",
        nl: "Een samengestelde waarde kan niet als header reizen, en ontvangers weigeren de gebeurtenis.",
    },
    fix: Text {
        en: "Move the object into `data`, or make an extension of each value in it.",
        nl: "Verplaats het object naar `data`, of maak van elke waarde erin een eigen extensie.",
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
