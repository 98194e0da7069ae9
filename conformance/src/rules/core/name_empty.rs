use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-NAME-6",
    en: Texts {
        title: "Attribute without a name",
        explanation: "The name of an attribute has at least one character. CE-NAME-1 reports an empty one too.",
        why: "Nobody can ask for a value that has no name. Some libraries drop it in silence, others refuse the whole event.",
        fix: "Give the attribute a name, or leave it out.",
    },
    nl: Texts {
        title: "Attribuut zonder naam",
        explanation: "De naam van een attribuut telt ten minste één teken. Ook CE-NAME-1 meldt een lege naam.",
        why: "Een waarde zonder naam is niet op te vragen. Sommige bibliotheken laten de waarde stilzwijgend weg, andere weigeren de hele gebeurtenis.",
        fix: "Geef het attribuut een naam, of laat het weg.",
    },
    good: Example::Event(r#""a":"b""#),
    bad: Example::Event(r#""":"b""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        // CE-NAME-1 refuses it.
        for attribute in event.named("") {
            found.noticed().name_of(attribute);
        }
    }),
};
