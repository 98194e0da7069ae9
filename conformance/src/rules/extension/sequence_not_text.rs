use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "EXT-SEQ-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Extension sequence 1.0.1/1.0.2; NL GOV 3.5.1.1",
    title: Text {
        en: "`sequence` missing, empty or no text",
        nl: "`sequence` ontbreekt, is leeg of is geen tekst",
    },
    explanation: Text {
        en: "Where the sequence extension is used, `sequence` is present and is text with at least one character. A JSON number is no text.",
        nl: "Wie de extensie voor volgorde gebruikt, geeft `sequence` mee als tekst van ten minste één teken. Een JSON-getal is geen tekst.",
    },
    why: Text {
        en: "Receivers order by the text of `sequence`; a `sequencetype` alone says nothing, and a number loses its leading zeros.",
        nl: "Ontvangers ordenen op de tekst van `sequence`. Alleen een `sequencetype` zegt niets, en een getal verliest zijn voorloopnullen.",
    },
    fix: Text {
        en: "Write `\"sequence\": \"1234\"`, or leave out both attributes.",
        nl: "Schrijf `\"sequence\": \"1234\"`, of laat beide attributen weg.",
    },
    good: Example::Event(r#""sequence":"1234""#),
    bad: Example::Event(r#""sequence":1234"#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("sequencetype").is_some() && event.attribute("sequence").is_none() {
            found.missing(event, "sequence");
        }
        found.all(event.failing("sequence", |sequence| !sequence.is_empty()));
    }),
};
