use crate::grammar::name::is_attribute_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-NAME-1",
    en: Texts {
        title: "Attribute name with other characters than a-z and 0-9",
        explanation: "Names of attributes hold only the lower-case letters `a` to `z` and the digits `0` to `9`. The JSON member `data_base64` is no attribute.",
        why: "Names travel as headers, where capitals, hyphens and underscores get lost or mean something else.",
        fix: "Rename the attribute: `nlbrpnationaliteit` instead of `nl_brp_nationaliteit`.",
    },
    nl: Texts {
        title: "Attribuutnaam met andere tekens dan a-z en 0-9",
        explanation: "Namen van attributen bevatten alleen de kleine letters `a` tot en met `z` en de cijfers `0` tot en met `9`. Het JSON-veld `data_base64` is geen attribuut.",
        why: "Namen reizen mee als header. Hoofdletters, streepjes en liggende streepjes gaan daar verloren of betekenen iets anders.",
        fix: "Hernoem het attribuut: `nlbrpnationaliteit` in plaats van `nl_brp_nationaliteit`.",
    },
    good: Example::Event(r#""nlbrpnationaliteit":"0083""#),
    bad: Example::Event(r#""nl_brp":"0083""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        for attribute in event
            .set()
            .filter(|attribute| !is_attribute_name(&attribute.name))
        {
            found.name_of(attribute);
        }
    }),
};
