use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-NAME-6",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "CloudEvents core 1.0.3-wip, Naming Conventions",
    title: Text {
        en: "Attribute without a name",
        nl: "Attribuut zonder naam",
    },
    explanation: Text {
        en: "The name of an attribute has at least one character. CE-NAME-1 reports an empty one too.",
        nl: "De naam van een attribuut telt ten minste één teken. Ook CE-NAME-1 meldt een lege naam.",
    },
    why: Text {
        en: "Nobody can ask for a value that has no name. Some libraries drop it in silence, others refuse the whole event.",
        nl: "Een waarde zonder naam is niet op te vragen. Sommige bibliotheken laten de waarde stilzwijgend weg, andere weigeren de hele gebeurtenis.",
    },
    fix: Text {
        en: "Give the attribute a name, or leave it out.",
        nl: "Geef het attribuut een naam, of laat het weg.",
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
