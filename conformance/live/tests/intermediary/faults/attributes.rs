//! Attributes that come out as others.

use cloudevents_nl_codec::{Event, Value};

use super::{CHANGED, Fault};

const TRACE_OF_HOP: &str = "00-11111111111111111111111111111111-2222222222222222-01";

pub(super) fn attributes() -> Vec<Fault> {
    let mut faults = changes! { event;
        "an unknown extension is dropped" ["CE-INT-1"] => event.without("onbekend").unwrap();
        "an empty value is dropped" ["CE-INT-1"] => event.without("leeg").unwrap();
        "a name with a digit is dropped" ["CE-INT-1"] => event.without("deel2").unwrap();
        "a regulation is dropped" ["CE-INT-1"] => event.without("dataregulation").unwrap();
        "a classification is dropped" ["CE-INT-1", "EXT-CLASS-2"] =>
            event.without("dataclassification").unwrap();
        "a classification is another" ["CE-TYPES-13", "EXT-CLASS-2"] =>
            rewritten(event, "dataclassification", |_| "public".into());
        "expirytime is dropped" ["CE-INT-1", "EXT-EXPIRY-2"] =>
            event.without("expirytime").unwrap();
        "recordedtime is set anew" ["CE-TYPES-13", "EXT-REC-2"] =>
            rewritten(event, "recordedtime", |_| "2026-11-25T12:00:00Z".into());
        "a fraction of a second is cut" ["CE-TYPES-13"] =>
            moved(event, '.', "2026-11-21T10:00:00.123456+01:00");
        "moments in UTC" ["CE-TYPES-13"] => moved(event, '+', "2026-11-21T09:00:00.123456789Z");
        "a trace begins at the hop" [] => match event.extension("traceparent") {
            Some(_) => event,
            None => event.with_extension("traceparent", TRACE_OF_HOP).unwrap(),
        };
        "traceparent is that of the hop" ["EXT-TRACE-3"] =>
            rewritten(event, "traceparent", |_| TRACE_OF_HOP.into());
        "leading zeros are dropped" ["CE-TYPES-13"] => rewritten(event, "nullen", |_| "12".into());
        "a number is another" ["CE-TYPES-2", "CE-TYPES-13"] => replaced(event, "aantal", 42.into());
        "numbers become text" [] => rewritten(event, "aantal", str::to_owned);
        "a text becomes a number" ["JSON-TYPE-4"] => replaced(event, "cijfers", 42.into());
        "a value in small letters" ["CE-TYPES-13"] =>
            rewritten(event, "onbekend", str::to_lowercase);
        "a value ends at a comma" ["CE-TYPES-13"] =>
            rewritten(event, "onbekend", |text| text.split(',').next().unwrap().to_owned());
        "a value ends after 1,024 characters" ["CE-TYPES-13"] =>
            rewritten(event, "lang", |text| text.chars().take(1024).collect());
        "space around a value is left out" ["CE-TYPES-13"] =>
            rewritten(event, "kantlijn", |text| text.trim().to_owned());
        "Base64 as in URLs" ["CE-TYPES-2", "CE-TYPES-13"] =>
            rewritten(event, "rauw", |text| text.replace('+', "-").replace('/', "_"));
        "quotes around a subject are left out" ["CE-TYPES-13"] =>
            rewritten(event, "subject", |text| text.trim_matches('"').to_owned());
        "an expression in a subject is worked out" ["CE-TYPES-13"] =>
            rewritten(event, "subject", |text| text.replace("${a}", ""));
        "accents are composed" ["CE-TYPES-13"] =>
            rewritten(event, "subject", |text| text.replace("e\u{301}", "é"));
        "an id of the hop" ["CE-TYPES-13"] => rewritten(event, "id", |id| format!("hop/{id}"));
        "the source is the hop" ["CE-TYPES-13"] =>
            rewritten(event, "source", |_| "urn:nld:kvknr:09220932.hop".into());
        "a source in small letters" ["CE-TYPES-13"] =>
            rewritten(event, "source", str::to_lowercase);
        "a source without its fragment" ["CE-TYPES-13"] =>
            rewritten(event, "source", |text| text.replace("#Deel", ""));
        "a type in small letters" ["CE-TYPES-13"] => rewritten(event, "type", str::to_lowercase);
        "a charset is added" ["CE-TYPES-13"] => match event.datacontenttype() {
            Some("application/json") => {
                let data = event.data().clone();
                event.with_data("application/json; charset=utf-8", data).unwrap()
            }
            _ => event,
        };
        "a content type in small letters" ["CE-TYPES-13"] => match event.datacontenttype() {
            Some(ty) => {
                let (ty, data) = (ty.to_ascii_lowercase(), event.data().clone());
                event.with_data(ty, data).unwrap()
            }
            None => event,
        };
    };
    faults.extend([
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
    ]);
    faults
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
