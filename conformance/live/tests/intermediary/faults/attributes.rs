//! Attributes that come out as others.

use cloudevents_nl_codec::{AttributeType, Event, Value};

use super::{CHANGED, Fault};

pub(super) fn attributes() -> Vec<Fault> {
    vec![
        Fault::new("an unknown extension is dropped")
            .rules(&["CE-INT-1"])
            .figures(CHANGED)
            .event(|event, _| vec![event.without("onbekend").unwrap()]),
        Fault::new("leading zeros are dropped")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![replaced(event, "nullen", "12".try_into().unwrap())]),
        Fault::new("a number is another")
            .rules(&["CE-TYPES-2", "CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![replaced(event, "aantal", 42.into())]),
        Fault::new("a value in small letters")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "onbekend", str::to_lowercase)]),
        Fault::new("a repeat is another")
            .rules(&["CE-TYPES-13"])
            .figures(&["changed", "unexplained"])
            .event(|event, _| {
                let again = rewritten(event.clone(), "onbekend", str::to_lowercase);
                match again == event {
                    true => vec![event],
                    false => vec![event, again],
                }
            }),
        Fault::new("a trace begins at the hop")
            .figures(CHANGED)
            .event(|event, _| match event.extension("traceparent") {
                Some(_) => vec![event],
                None => {
                    let own = "00-11111111111111111111111111111111-2222222222222222-01";
                    vec![event.with_extension("traceparent", own).unwrap()]
                }
            }),
        Fault::new("a charset is added")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| match event.datacontenttype() {
                Some("application/json") => {
                    let data = event.data().clone();
                    let ty = "application/json; charset=utf-8";
                    vec![event.with_data(ty, data).unwrap()]
                }
                _ => vec![event],
            }),
        Fault::new("a fraction of a second is cut")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![moved(event, '.', "2026-11-21T10:00:00.123456+01:00")]),
        Fault::new("numbers become text")
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "aantal", str::to_owned)]),
        Fault::new("space around a value is left out")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "kantlijn", |text| text.trim().to_owned())]),
        Fault::new("a value ends after 1,024 characters")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let beginning = |text: &str| text.chars().take(1024).collect::<String>();
                vec![rewritten(event, "lang", beginning)]
            }),
        Fault::new("Base64 as in URLs")
            .rules(&["CE-TYPES-2", "CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let other = |text: &str| text.replace('+', "-").replace('/', "_");
                vec![rewritten(event, "rauw", other)]
            }),
        Fault::new("moments in UTC")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![moved(event, '+', "2026-11-21T09:00:00.123456789Z")]),
        Fault::new("expirytime is dropped")
            .rules(&["CE-INT-1", "EXT-EXPIRY-2"])
            .figures(CHANGED)
            .event(|event, _| vec![event.without("expirytime").unwrap()]),
        Fault::new("recordedtime is set anew")
            .rules(&["CE-TYPES-13", "EXT-REC-2"])
            .figures(CHANGED)
            .event(|event, _| {
                let now = Value::parse(AttributeType::Timestamp, "2026-11-25T12:00:00Z").unwrap();
                vec![replaced(event, "recordedtime", now)]
            }),
        Fault::new("traceparent is that of the hop")
            .rules(&["EXT-TRACE-3"])
            .figures(CHANGED)
            .event(|event, _| {
                let own = "00-11111111111111111111111111111111-2222222222222222-01";
                vec![replaced(event, "traceparent", own.try_into().unwrap())]
            }),
        Fault::new("a header becomes an attribute")
            .rules(&["CE-EXT-5"])
            .figures(CHANGED)
            .event(|event, from| match from.header("x-cenl-proef") {
                Some(value) => vec![
                    event
                        .with_extension("xcenlproef", value.to_owned())
                        .unwrap(),
                ],
                None => vec![event],
            }),
        Fault::new("an id of the hop")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let id = format!("hop/{}", event.id());
                vec![event.with_attribute("id", id).unwrap()]
            }),
        Fault::new("the source is the hop")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let hop = "urn:nld:kvknr:09220932.hop";
                vec![event.with_attribute("source", hop).unwrap()]
            }),
        Fault::new("a content type in small letters")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| match event.datacontenttype() {
                Some(ty) => {
                    let (ty, data) = (ty.to_ascii_lowercase(), event.data().clone());
                    vec![event.with_data(ty, data).unwrap()]
                }
                None => vec![event],
            }),
        Fault::new("a text becomes a number")
            .rules(&["JSON-TYPE-4"])
            .figures(CHANGED)
            .event(|event, _| vec![replaced(event, "cijfers", 42.into())]),
        Fault::new("a classification is another")
            .rules(&["CE-TYPES-13", "EXT-CLASS-2"])
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "dataclassification", |_| "public".into())]),
        Fault::new("a classification is dropped")
            .rules(&["CE-INT-1", "EXT-CLASS-2"])
            .figures(CHANGED)
            .event(|event, _| vec![event.without("dataclassification").unwrap()]),
        Fault::new("a regulation is dropped")
            .rules(&["CE-INT-1"])
            .figures(CHANGED)
            .event(|event, _| vec![event.without("dataregulation").unwrap()]),
        Fault::new("an empty value is dropped")
            .rules(&["CE-INT-1"])
            .figures(CHANGED)
            .event(|event, _| vec![event.without("leeg").unwrap()]),
        Fault::new("a name with a digit is dropped")
            .rules(&["CE-INT-1"])
            .figures(CHANGED)
            .event(|event, _| vec![event.without("deel2").unwrap()]),
        Fault::new("a source in small letters")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "source", str::to_lowercase)]),
        Fault::new("a source without its fragment")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "source", |text| text.replace("#Deel", ""))]),
        Fault::new("a type in small letters")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| vec![rewritten(event, "type", str::to_lowercase)]),
        Fault::new("quotes around a subject are left out")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let bare = |text: &str| text.trim_matches('"').to_owned();
                vec![rewritten(event, "subject", bare)]
            }),
        Fault::new("accents are composed")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let composed = |text: &str| text.replace("e\u{301}", "é");
                vec![rewritten(event, "subject", composed)]
            }),
        Fault::new("a value ends at a comma")
            .rules(&["CE-TYPES-13"])
            .figures(CHANGED)
            .event(|event, _| {
                let beginning = |text: &str| text.split(',').next().unwrap().to_owned();
                vec![rewritten(event, "onbekend", beginning)]
            }),
    ]
}

/// The event with another value of an attribute that it has.
fn replaced(event: Event<'static>, name: &str, value: Value<'static>) -> Event<'static> {
    match event.extension(name).is_some() {
        true => event.with_extension(name.to_owned(), value).unwrap(),
        false => event,
    }
}

/// The event with an attribute that it has, written anew.
fn rewritten(event: Event<'static>, name: &str, write: fn(&str) -> String) -> Event<'static> {
    let was = event.attribute(name).map(|value| value.to_string());
    match was {
        Some(was) => event.with_attribute(name.to_owned(), write(&was)).unwrap(),
        None => event,
    }
}

/// The event at another time, if that which it has is written with this character.
fn moved(event: Event<'static>, sign: char, to: &'static str) -> Event<'static> {
    match event.time().is_some_and(|time| time.contains(sign)) {
        true => event.with_time(to).unwrap(),
        false => event,
    }
}
