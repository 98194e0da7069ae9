use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DATA-8",
    en: Texts {
        title: "`data` without content type not taken for JSON",
        explanation: "`data` without `datacontenttype` is handled as `application/json`. A string there is a JSON string.",
        why: "A reader that takes the string for plain text drops its quotes when it passes the data on, and the next receiver finds no JSON.",
        fix: "Read such data as JSON, and write `application/json` with it when it goes on in another form.",
    },
    nl: Texts {
        title: "`data` zonder content type niet opgevat als JSON",
        explanation: "`data` zonder `datacontenttype` wordt behandeld als `application/json`. Een tekst is daar een JSON-string, met aanhalingstekens.",
        why: "Een ontvanger die de tekst als platte tekst opvat, laat bij het doorgeven de aanhalingstekens weg. De volgende ontvanger vindt dan geen JSON.",
        fix: "Lees zulke data als JSON en vermeld `application/json` als de data in een andere vorm verder gaat.",
    },
    good: Example::Event(r#""data":"I'm just a string""#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
