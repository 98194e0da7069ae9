use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SPECVERSION-2",
    en: Texts {
        title: "Empty `specversion`, or one that is no text",
        explanation: "`specversion` is a String with at least one character. The JSON number 1.0 is not a String.",
        why: "Many JSON libraries read the number 1.0 as 1 and write it back like that. Nothing then tells which version was meant.",
        fix: "Write `\"1.0\"`, in JSON with quotes.",
    },
    nl: Texts {
        title: "Lege `specversion`, of een `specversion` die geen tekst is",
        explanation: "`specversion` is een tekst van ten minste één teken. Het JSON-getal 1.0 is geen tekst.",
        why: "Veel JSON-bibliotheken lezen het getal 1.0 als 1 en schrijven het ook zo terug. Daarna is niet meer te zien welke versie was bedoeld.",
        fix: "Schrijf `\"1.0\"`, in JSON tussen aanhalingstekens.",
    },
    good: Example::Event(r#""specversion":"1.0""#),
    bad: Example::Event(r#""specversion":1.0"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("specversion", |version| !version.is_empty()));
    }),
};
