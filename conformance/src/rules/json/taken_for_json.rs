use crate::grammar::media_type::{self, MediaType};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DATA-14",
    en: Texts {
        title: "Content type that resembles JSON taken for JSON",
        explanation: "A content type is JSON when its subtype is `json` or ends in `+json`. Reported where another one speaks of JSON, such as `application/json-seq`, and `data` is not a string.",
        why: "Formats such as JSON sequences and NDJSON are several JSON texts in a row. A receiver therefore expects text, finds a JSON value and refuses the event.",
        fix: "For one JSON value use `application/json` or a type that ends in `+json`; write the other formats as a string.",
    },
    nl: Texts {
        title: "Content type dat op JSON lijkt, opgevat als JSON",
        explanation: "Een content type is JSON als het subtype `json` is of eindigt op `+json`. Gemeld als een ander type naar JSON verwijst, zoals `application/json-seq`, en `data` geen tekst is.",
        why: "Formaten zoals JSON-reeksen en NDJSON bestaan uit meerdere JSON-teksten achter elkaar. Een ontvanger verwacht daarom tekst, vindt een JSON-waarde en weigert de gebeurtenis.",
        fix: "Gebruik voor één JSON-waarde `application/json` of een type dat eindigt op `+json`. Schrijf de andere formaten als JSON-string.",
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
