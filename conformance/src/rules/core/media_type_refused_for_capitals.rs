use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-DCT-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "CloudEvents core 1.0.3-wip, datacontenttype (RFC 2045 already says so)",
    title: Text {
        en: "Media type refused for its capitals",
        nl: "Mediatype geweigerd vanwege hoofdletters",
    },
    explanation: Text {
        en: "Type, subtype and names of parameters are compared without regard to case: `Application/JSON` is `application/json`. Values of parameters keep theirs.",
        nl: "Bij type, subtype en parameternamen maken hoofdletters geen verschil: `Application/JSON` is `application/json`. Bij waarden van parameters wel.",
    },
    why: Text {
        en: "A receiver that compares letter by letter does not recognise `Application/JSON`, and hands the data on as bytes instead of JSON.",
        nl: "Een ontvanger die letter voor letter vergelijkt, herkent `Application/JSON` niet en geeft de data door als bytes in plaats van als JSON.",
    },
    fix: Text {
        en: "Ignore case when you compare media types.",
        nl: "Negeer hoofdletters bij het vergelijken van mediatypen.",
    },
    good: Example::Event(r#""datacontenttype":"Application/JSON","data":{}"#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
