use crate::grammar::media_type::is_json;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DATA-6",
    en: Texts {
        title: "`data` is no text, while its content type is not JSON",
        explanation: "Where `datacontenttype` is not JSON, `data` is a JSON string with the encoded text: XML as `\"<a/>\"`, not as an object.",
        why: "Nobody can tell which bytes are meant: an object is no XML. Receivers may refuse the event, and it cannot be sent in binary mode.",
        fix: "Write the text of the document as a string, or set `datacontenttype` to `application/json` if the data is JSON.",
    },
    nl: Texts {
        title: "`data` is geen tekst, terwijl het content type geen JSON is",
        explanation: "Als `datacontenttype` geen JSON is, is `data` een JSON-string met de gecodeerde inhoud: XML als `\"<a/>\"` en niet als object.",
        why: "Welke bytes bedoeld zijn, is niet vast te stellen: een object is geen XML. Ontvangers mogen de gebeurtenis weigeren, en in binaire modus kan die niet worden verstuurd.",
        fix: "Schrijf de tekst van het document als JSON-string, of zet `datacontenttype` op `application/json` als de data JSON is.",
    },
    good: Example::Event(r#""datacontenttype":"application/xml","data":"<a/>""#),
    bad: Example::Event(r#""datacontenttype":"application/xml","data":{"a":1}"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let content_type = event.text("datacontenttype");
    let (Some(content_type), Some(data)) = (content_type, event.data) else {
        return;
    };
    // A lone surrogate is in no charset.
    let is_text = data.text().is_some_and(|text| !text.is_broken);
    if !is_json(content_type) && !is_text {
        found.members(event, "data");
    }
}
