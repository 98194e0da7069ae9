use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-ID-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, id",
    title: Text {
        en: "Empty `id`, or an `id` that is no text",
        nl: "Leeg `id`, of een `id` dat geen tekst is",
    },
    explanation: Text {
        en: "`id` is a String with at least one character. A number is not an id.",
        nl: "`id` is een tekst van ten minste één teken. Een getal is geen id.",
    },
    why: Text {
        en: "An empty `id` identifies nothing, and a number changes on its way: leading zeros and large values get lost.",
        nl: "Een leeg `id` identificeert niets. Een getal verandert onderweg: voorloopnullen en grote waarden gaan verloren.",
    },
    fix: Text {
        en: "Give the event an `id` of at least one character, as text: with quotes in JSON.",
        nl: "Geef de gebeurtenis een `id` van ten minste één teken, als tekst: in JSON tussen aanhalingstekens.",
    },
    good: Example::Event(r#""id":"25""#),
    bad: Example::Event(r#""id":"""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("id", |id| !id.is_empty()))),
};
