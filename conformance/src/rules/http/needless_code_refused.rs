use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DEC-4",
    en: Texts {
        title: "Needless percent codes refused or kept",
        explanation: "A reader decodes every percent code, also of characters that needed none: `%41` is `A`.",
        why: "Ordinary URL encoders encode more than the binding asks. A reader that keeps their codes hands out another `id`, and no longer recognises repeats.",
        fix: "Decode all percent codes, whatever they stand for.",
    },
    nl: Texts {
        title: "Overbodige procentcodes geweigerd of niet omgezet",
        explanation: "Een ontvanger zet elke procentcode om, ook die van tekens waarvoor dat niet nodig was: `%41` is `A`.",
        why: "Gewone URL-codering zet meer tekens om dan nodig is. Een ontvanger die zulke codes laat staan, levert een ander `id` op en herkent herhalingen niet meer.",
        fix: "Decodeer alle procentcodes, wat ze ook voorstellen.",
    },
    good: Example::Message(Protocol::Http, "ce-id: %64oc2021033441"),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
