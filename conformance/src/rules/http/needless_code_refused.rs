use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DEC-4",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Needless percent codes refused or kept",
        nl: "Overbodige procentcodes geweigerd of niet omgezet",
    },
    explanation: Text {
        en: "A reader decodes every percent code, also of characters that needed none: `%41` is `A`.",
        nl: "Een ontvanger zet elke procentcode om, ook die van tekens waarvoor dat niet nodig was: `%41` is `A`.",
    },
    why: Text {
        en: "Ordinary URL encoders encode more than the binding asks. A reader that keeps their codes hands out another `id`, and no longer recognises repeats.",
        nl: "Gewone URL-codering zet meer tekens om dan nodig is. Een ontvanger die zulke codes laat staan, levert een ander `id` op en herkent herhalingen niet meer.",
    },
    fix: Text {
        en: "Decode all percent codes, whatever they stand for.",
        nl: "Decodeer alle procentcodes, wat ze ook voorstellen.",
    },
    good: Example::Message(Protocol::Http, "ce-id: %64oc2021033441"),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
