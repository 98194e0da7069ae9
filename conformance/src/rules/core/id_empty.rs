use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-ID-2",
    en: Texts {
        title: "Empty `id`, or an `id` that is no text",
        explanation: "`id` is a String with at least one character. A number is not an id.",
        why: "An empty `id` identifies nothing, and a number changes on its way: leading zeros and large values get lost.",
        fix: "Give the event an `id` of at least one character, as text: with quotes in JSON.",
    },
    nl: Texts {
        title: "Leeg `id`, of een `id` dat geen tekst is",
        explanation: "`id` is een tekst van ten minste één teken. Een getal is geen id.",
        why: "Een leeg `id` identificeert niets. Een getal verandert onderweg: voorloopnullen en grote waarden gaan verloren.",
        fix: "Geef de gebeurtenis een `id` van ten minste één teken, als tekst: in JSON tussen aanhalingstekens.",
    },
    good: Example::Event(r#""id":"25""#),
    bad: Example::Event(r#""id":"""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("id", |id| !id.is_empty()))),
};
