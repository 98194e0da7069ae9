//! CE-DATA-1: data that is not what `datacontenttype` says.

use crate::capture::Protocol;
use crate::grammar::base64;
use crate::grammar::media_type::{self, MediaType};
use crate::json;
use crate::reading::Event;
use crate::rule::{Applies, Check, Decode, Example, Found, Level, Levels, Rule, Status, Text};

pub(crate) const RULE: Rule = Rule {
    id: "CE-DATA-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Event Data",
    title: Text {
        en: "Data is not what `datacontenttype` says",
        nl: "Data is niet wat `datacontenttype` zegt",
    },
    explanation: Text {
        en: "The bytes of the data are what `datacontenttype` says: JSON is well-formed, and text is valid in the charset that is named.",
        nl: "De bytes van de data zijn wat `datacontenttype` zegt: JSON is welgevormd en tekst is geldig in de genoemde tekenset.",
    },
    why: Text {
        en: "A receiver reads the data by its type and fails, often after it has acknowledged the event.",
        nl: "Een ontvanger leest de data volgens het opgegeven type en loopt vast, vaak nadat de ontvangst al is bevestigd.",
    },
    fix: Text {
        en: "Send the data in the form that the content type names, or correct the content type.",
        nl: "Verstuur de data in de vorm die het content type noemt, of verbeter het content type.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/json\n\n{\"a\":1}",
    ),
    bad: Example::Message(Protocol::Http, "content-type: application/json\n\n{a:1}"),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let Some(content_type) = event.text("datacontenttype") else {
        return;
    };
    let is_json = media_type::is_json(content_type);
    if let Some(body) = event.body.filter(|_| !event.is_coded) {
        check_body(body, content_type, found);
    }
    for member in &event.members {
        let text = || member.value.text();
        match &*member.name.text {
            "data" if !is_json && text().is_some_and(|text| text.is_broken) => {
                found.member(member);
            }
            // Bytes stay bytes, whatever they are called.
            "data_base64" if is_json && text().is_some_and(|text| is_no_json(&text.text)) => {
                found.tolerated().member(member);
            }
            _ => {}
        }
    }
}

fn check_body(body: &[u8], content_type: &str, found: &mut Found<'_>) {
    if media_type::is_json(content_type) {
        if let Err(fault) = json::parse(body) {
            found.body(fault.at);
        }
    } else if names_utf_8(content_type)
        && let Err(error) = str::from_utf8(body)
    {
        // Text that cannot be read stays bytes.
        found.tolerated().body(error.valid_up_to());
    }
}

fn is_no_json(text: &str) -> bool {
    base64::decode(text).is_some_and(|bytes| json::parse(&bytes).is_err())
}

fn names_utf_8(content_type: &str) -> bool {
    let charset =
        MediaType::parse(content_type).and_then(|media_type| media_type.parameter("charset"));
    charset.is_some_and(|charset| charset.eq_ignore_ascii_case("utf-8"))
}
