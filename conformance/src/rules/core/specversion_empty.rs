use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-SPECVERSION-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, specversion",
    title: Text {
        en: "Empty `specversion`, or one that is no text",
        nl: "Lege `specversion`, of een `specversion` die geen tekst is",
    },
    explanation: Text {
        en: "`specversion` is a String with at least one character. The JSON number 1.0 is not a String.",
        nl: "`specversion` is een tekst van ten minste één teken. Het JSON-getal 1.0 is geen tekst.",
    },
    why: Text {
        en: "Many JSON libraries read the number 1.0 as 1 and write it back like that. Nothing then tells which version was meant.",
        nl: "Veel JSON-bibliotheken lezen het getal 1.0 als 1 en schrijven het ook zo terug. Daarna is niet meer te zien welke versie was bedoeld.",
    },
    fix: Text {
        en: "Write `\"1.0\"`, in JSON with quotes.",
        nl: "Schrijf `\"1.0\"`, in JSON tussen aanhalingstekens.",
    },
    good: Example::Event(r#""specversion":"1.0""#),
    bad: Example::Event(r#""specversion":1.0"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("specversion", |version| !version.is_empty()));
    }),
};
