use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-SUBJECT-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, subject",
    title: Text {
        en: "Empty `subject`, or a `subject` that is no text",
        nl: "Leeg `subject`, of een `subject` dat geen tekst is",
    },
    explanation: Text {
        en: "If present, `subject` is a String with at least one character. A number is no String.",
        nl: "Als `subject` aanwezig is, is het een tekst van ten minste één teken. Een getal is geen tekst.",
    },
    why: Text {
        en: "Consumers filter on `subject`. As a number it loses its leading zeros, so that `0012` and `12` become one; an empty one refers to nothing.",
        nl: "Afnemers filteren op `subject`. Als getal verliest het zijn voorloopnullen, zodat `0012` en `12` gelijk worden. Een leeg `subject` verwijst nergens naar.",
    },
    fix: Text {
        en: "Write `subject` as text, in JSON with quotes, or leave it out.",
        nl: "Schrijf `subject` als tekst, in JSON tussen aanhalingstekens, of laat het weg.",
    },
    good: Example::Event(r#""subject":"zaak-0012""#),
    bad: Example::Event(r#""subject":"""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("subject", |subject| !subject.is_empty()));
    }),
};
