use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-NAME-4",
    en: Texts {
        title: "Attribute name that begins with a digit",
        explanation: "Names of attributes begin with a letter.",
        why: "In most programming languages and query languages a name cannot begin with a digit. Generated code and filters then need another name for the attribute, or do not work.",
        fix: "Put a letter in front: `nl112` instead of `112`.",
    },
    nl: Texts {
        title: "Attribuutnaam die met een cijfer begint",
        explanation: "Namen van attributen beginnen met een letter.",
        why: "In de meeste programmeertalen en zoektalen kan een naam niet met een cijfer beginnen. Gegenereerde code en filters hebben dan een andere naam nodig, of werken niet.",
        fix: "Zet er een letter voor: `nl112` in plaats van `112`.",
    },
    good: Example::Event(r#""abc1":"a""#),
    bad: Example::Event(r#""1abc":"a""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        for attribute in event.set() {
            if attribute
                .name
                .starts_with(|first: char| first.is_ascii_digit())
            {
                found.name_of(attribute);
            }
        }
    }),
};
