use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DCT-3",
    en: Texts {
        title: "Media type refused for its capitals",
        explanation: "Type, subtype and names of parameters are compared without regard to case: `Application/JSON` is `application/json`. Values of parameters keep theirs.",
        why: "A receiver that compares letter by letter does not recognise `Application/JSON`, and hands the data on as bytes instead of JSON.",
        fix: "Ignore case when you compare media types.",
    },
    nl: Texts {
        title: "Mediatype geweigerd vanwege hoofdletters",
        explanation: "Bij type, subtype en parameternamen maken hoofdletters geen verschil: `Application/JSON` is `application/json`. Bij waarden van parameters wel.",
        why: "Een ontvanger die letter voor letter vergelijkt, herkent `Application/JSON` niet en geeft de data door als bytes in plaats van als JSON.",
        fix: "Negeer hoofdletters bij het vergelijken van mediatypen.",
    },
    good: Example::Event(r#""datacontenttype":"Application/JSON","data":{}"#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
