use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SPECVERSION-3",
    en: Texts {
        title: "`specversion` is not `1.0`",
        explanation: "For every version 1.0.x of the specification the value is exactly `1.0`: no patch number and no suffix.",
        why: "Receivers compare the text. They do not know `1.0.2`, and an event of version 0.3 has other attributes; both are refused.",
        fix: "Write `1.0`. Convert an event of version 0.3 before you send it on.",
    },
    nl: Texts {
        title: "`specversion` is niet `1.0`",
        explanation: "Voor elke versie 1.0.x van de specificatie is de waarde precies `1.0`, zonder derde cijfer en zonder achtervoegsel.",
        why: "Ontvangers vergelijken de tekst. De waarde `1.0.2` kennen zij niet, en een gebeurtenis van versie 0.3 heeft andere attributen. Beide worden geweigerd.",
        fix: "Schrijf `1.0`. Zet een gebeurtenis van versie 0.3 eerst om voordat u die doorstuurt.",
    },
    good: Example::Event(r#""specversion":"1.0""#),
    bad: Example::Event(r#""specversion":"1.0.1""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_other = |version: &str| !version.is_empty() && version != "1.0";
        found.all(event.matching("specversion", is_other));
    }),
};
