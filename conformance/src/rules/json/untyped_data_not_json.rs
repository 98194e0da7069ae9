use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-DATA-8",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "JSON event format 1.0.1 (core datacontenttype) and 1.0.2, 3.1.1/3.1.2",
    title: Text {
        en: "`data` without content type not taken for JSON",
        nl: "`data` zonder content type niet opgevat als JSON",
    },
    explanation: Text {
        en: "`data` without `datacontenttype` is handled as `application/json`. A string there is a JSON string.",
        nl: "`data` zonder `datacontenttype` wordt behandeld als `application/json`. Een tekst is daar een JSON-string, met aanhalingstekens.",
    },
    why: Text {
        en: "A reader that takes the string for plain text drops its quotes when it passes the data on, and the next receiver finds no JSON.",
        nl: "Een ontvanger die de tekst als platte tekst opvat, laat bij het doorgeven de aanhalingstekens weg. De volgende ontvanger vindt dan geen JSON.",
    },
    fix: Text {
        en: "Read such data as JSON, and write `application/json` with it when it goes on in another form.",
        nl: "Lees zulke data als JSON en vermeld `application/json` als de data in een andere vorm verder gaat.",
    },
    good: Example::Event(r#""data":"I'm just a string""#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
