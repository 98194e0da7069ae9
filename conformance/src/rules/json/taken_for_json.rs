use crate::grammar::media_type::{self, MediaType};
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-DATA-14",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "JSON event format 1.0.2, 3.1.1",
    title: Text {
        en: "Content type that resembles JSON taken for JSON",
        nl: "Content type dat op JSON lijkt, opgevat als JSON",
    },
    explanation: Text {
        en: "A content type is JSON when its subtype is `json` or ends in `+json`. Reported where another one speaks of JSON, such as `application/json-seq`, and `data` is not a string.",
        nl: "Een content type is JSON als het subtype `json` is of eindigt op `+json`. Gemeld als een ander type naar JSON verwijst, zoals `application/json-seq`, en `data` geen tekst is.",
    },
    why: Text {
        en: "Formats such as JSON sequences and NDJSON are several JSON texts in a row. A receiver therefore expects text, finds a JSON value and refuses the event.",
        nl: "Formaten zoals JSON-reeksen en NDJSON bestaan uit meerdere JSON-teksten achter elkaar. Een ontvanger verwacht daarom tekst, vindt een JSON-waarde en weigert de gebeurtenis.",
    },
    fix: Text {
        en: "For one JSON value use `application/json` or a type that ends in `+json`; write the other formats as a string.",
        nl: "Gebruik voor één JSON-waarde `application/json` of een type dat eindigt op `+json`. Schrijf de andere formaten als JSON-string.",
    },
    good: Example::Event(
        r#""datacontenttype":"application/problem+json; charset=utf-8","data":{"a":1}"#,
    ),
    bad: Example::Event(r#""datacontenttype":"application/json-seq","data":{"a":1}"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        for content_type in event.named("datacontenttype") {
            let is_mistaken = |text| !media_type::is_json(text) && speaks_of_json(text);
            let is_value = event.data.is_some_and(|data| data.text().is_none());
            if is_value && content_type.text().is_some_and(is_mistaken) {
                found.at(content_type);
            }
        }
    }),
};

fn speaks_of_json(text: &str) -> bool {
    MediaType::parse(text).is_some_and(|media_type| media_type.essence().contains("json"))
}
