use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SUBJECT-1",
    en: Texts {
        title: "Empty `subject`, or a `subject` that is no text",
        explanation: "If present, `subject` is a String with at least one character. A number is no String.",
        why: "Consumers filter on `subject`. As a number it loses its leading zeros, so that `0012` and `12` become one; an empty one refers to nothing.",
        fix: "Write `subject` as text, in JSON with quotes, or leave it out.",
    },
    nl: Texts {
        title: "Leeg `subject`, of een `subject` dat geen tekst is",
        explanation: "Als `subject` aanwezig is, is het een tekst van ten minste één teken. Een getal is geen tekst.",
        why: "Afnemers filteren op `subject`. Als getal verliest het zijn voorloopnullen, zodat `0012` en `12` gelijk worden. Een leeg `subject` verwijst nergens naar.",
        fix: "Schrijf `subject` als tekst, in JSON tussen aanhalingstekens, of laat het weg.",
    },
    good: Example::Event(r#""subject":"zaak-0012""#),
    bad: Example::Event(r#""subject":"""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("subject", |subject| !subject.is_empty()));
    }),
};
