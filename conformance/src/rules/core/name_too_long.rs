use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-NAME-2",
    level: Levels::everywhere(Level::ShouldNot),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Attribute Naming Convention",
    title: Text {
        en: "Attribute name longer than 20 characters",
        nl: "Attribuutnaam langer dan 20 tekens",
    },
    explanation: Text {
        en: "Names of attributes stay within 20 characters.",
        nl: "Namen van attributen zijn niet langer dan 20 tekens.",
    },
    why: Text {
        en: "The name travels with every event and becomes a header, a column or a label. Systems that cut long names off make two attributes into one.",
        nl: "De naam reist met elke gebeurtenis mee en wordt een header, kolom of label. Systemen die lange namen afkappen, maken van twee attributen één.",
    },
    fix: Text {
        en: "Shorten the name: `nlbrpnationaliteit` has 18 characters.",
        nl: "Kort de naam in: `nlbrpnationaliteit` telt 18 tekens.",
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
