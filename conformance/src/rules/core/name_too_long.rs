use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-NAME-2",
    en: Texts {
        title: "Attribute name longer than 20 characters",
        explanation: "Names of attributes stay within 20 characters.",
        why: "The name travels with every event and becomes a header, a column or a label. Systems that cut long names off make two attributes into one.",
        fix: "Shorten the name: `nlbrpnationaliteit` has 18 characters.",
    },
    nl: Texts {
        title: "Attribuutnaam langer dan 20 tekens",
        explanation: "Namen van attributen zijn niet langer dan 20 tekens.",
        why: "De naam reist met elke gebeurtenis mee en wordt een header, kolom of label. Systemen die lange namen afkappen, maken van twee attributen één.",
        fix: "Kort de naam in: `nlbrpnationaliteit` telt 18 tekens.",
    },
    good: Example::Event(r#""comexampleextension1":"a""#),
    bad: Example::Event(r#""comexampleextension10":"a""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        for attribute in event.set() {
            if attribute.name.chars().count() > 20 {
                found.name_of(attribute);
            }
        }
    }),
};
