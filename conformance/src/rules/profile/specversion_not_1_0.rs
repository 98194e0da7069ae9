use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-SPECVERSION-1",
    en: Texts {
        title: "`specversion` is not `1.0` (NL GOV 1.0)",
        explanation: "Version 1.0 of the profile says that `specversion` is `1.0`. Version 1.1 leaves the line out, since CloudEvents says the same.",
        why: "A reader picks its rules by this value. `1.0.2` is a version of the text and not of the event, and no reader knows it.",
        fix: "Write `\"specversion\": \"1.0\"`, whichever 1.0.x text you follow.",
    },
    nl: Texts {
        title: "`specversion` is niet `1.0` (NL GOV 1.0)",
        explanation: "Versie 1.0 van het profiel zegt dat `specversion` `1.0` is. Versie 1.1 laat die regel weg, omdat CloudEvents hetzelfde zegt.",
        why: "Een ontvanger kiest aan de hand van deze waarde zijn regels. `1.0.2` is een versie van de specificatietekst en niet van de gebeurtenis; geen ontvanger kent die.",
        fix: "Schrijf `\"specversion\": \"1.0\"`, welke 1.0.x-tekst u ook volgt.",
    },
    good: Example::Event(r#""specversion":"1.0""#),
    bad: Example::Event(r#""specversion":"1.0.2""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("specversion", |version| version == "1.0"));
    }),
};
