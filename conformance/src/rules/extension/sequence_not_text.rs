use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEQ-1",
    en: Texts {
        title: "`sequence` missing, empty or no text",
        explanation: "Where the sequence extension is used, `sequence` is present and is text with at least one character. A JSON number is no text.",
        why: "Receivers order by the text of `sequence`; a `sequencetype` alone says nothing, and a number loses its leading zeros.",
        fix: "Write `\"sequence\": \"1234\"`, or leave out both attributes.",
    },
    nl: Texts {
        title: "`sequence` ontbreekt, is leeg of is geen tekst",
        explanation: "Wie de extensie voor volgorde gebruikt, geeft `sequence` mee als tekst van ten minste één teken. Een JSON-getal is geen tekst.",
        why: "Ontvangers ordenen op de tekst van `sequence`. Alleen een `sequencetype` zegt niets, en een getal verliest zijn voorloopnullen.",
        fix: "Schrijf `\"sequence\": \"1234\"`, of laat beide attributen weg.",
    },
    good: Example::Event(r#""sequence":"1234""#),
    bad: Example::Event(r#""sequence":1234"#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("sequencetype").is_some() {
            found.missing(event, "sequence");
        }
        found.all(event.failing("sequence", |sequence| !sequence.is_empty()));
    }),
};
