//! What senders may do, so that no receiver may refuse it.
//!
//! Where it can be, a message is valid only for those who read it right: `ce-specversion: 1%2E0` is no
//! version for a reader that leaves percent codes as they are.

use cloudevents_nl_conformance::Shown;
use serde_json::Value;

use super::{accepts, scenario};
use crate::client::Request;
use crate::receiver::scenario::Tries::{Binary, Events, Headers, Made, Structured};
use crate::receiver::scenario::{Known, Scenario, Seen, Try, broken_where};
use crate::receiver::target::typed;
use crate::shown::nothing;

pub(super) const SCENARIOS: &[Scenario] = &[
    // First: what is refused here is not told once more of each extension.
    accepts(
        "CE-INT-2",
        "extensions that no receiver knows, and `traceparent`, in both modes",
        "extensies die geen ontvanger kent, en `traceparent`, in beide modi",
        Made(|known| {
            let structured = r#""cenlunknown":"x","cenlnumber":1,"cenltruth":true"#;
            let binary = [("ce-cenlunknown", "x"), ("ce-cenlnumber", "1")];
            let mut tries = known.in_both_modes(
                Try::new(structured, known.target.structured(structured)),
                Try::new("ce-cenlunknown: x", known.target.binary(&binary, "{}")),
            )?;
            let structured = format!(r#""traceparent":"{TRACE}""#);
            let binary = [("ce-traceparent", TRACE)];
            tries.extend(known.in_both_modes(
                Try::new(&*structured, known.target.structured(&structured)),
                Try::new("ce-traceparent", known.target.binary(&binary, "{}")),
            )?);
            Ok(tries)
        }),
    ),
    accepts(
        "CE-DCT-3",
        "JSON data whose content type is in capitals",
        "JSON-data met een content type in hoofdletters",
        Events(&[r#""datacontenttype":"Application/JSON""#]),
    ),
    accepts(
        "CE-DCT-5",
        "a content type without data",
        "een content type zonder data",
        Events(&["-data"]),
    ),
    accepts(
        "CE-TYPES-14",
        "an integer as a number and as text",
        "een geheel getal als getal en als tekst",
        Events(&[r#""sampledrate":5"#, r#""sampledrate":"5""#]),
    ),
    accepts(
        "CE-ID-4",
        "one event twice, as after a failure",
        "één gebeurtenis twee keer, zoals na een storing",
        Structured(|target| {
            let event = target.structured("");
            vec![Try::new("first", event.clone()), Try::new("again", event)]
        }),
    ),
    accepts(
        "NL-TYPE-2",
        "an event of a more specific type",
        "een gebeurtenis van een specifieker type",
        Structured(|target| {
            let event_type = Value::from(format!("{}.specifiek", target.event_type));
            let event = target.structured(&format!(r#""type":{event_type}"#));
            vec![Try::new("type: ….specifiek", event)]
        }),
    ),
    accepts(
        "NL-DATAREF-1",
        "`dataref`, with data and without",
        "`dataref`, met en zonder data",
        Events(&[
            r#""dataref":"https://cenl-conformance.invalid/1""#,
            r#"-data -datacontenttype "dataref":"https://cenl-conformance.invalid/1""#,
        ]),
    ),
    accepts(
        "JSON-NULL-1",
        "an extension that is null",
        "een extensie die null is",
        Events(&[r#""cenltest":null"#]),
    ),
    accepts(
        "JSON-NULL-2",
        "optional attributes that are null",
        "optionele attributen die null zijn",
        Events(&[
            r#""subject":null,"time":null,"dataschema":null"#,
            r#""datacontenttype":null"#,
        ]),
    ),
    scenario(
        "JSON-DATA-8",
        "`data` without `datacontenttype`",
        "`data` zonder `datacontenttype`",
        Events(&[
            FALSE,
            r#"-datacontenttype "data":"only a text""#,
            "-datacontenttype",
        ]),
        taken_as_false_is,
    ),
    scenario(
        "JSON-DATA-9",
        "JSON data that is null",
        "JSON-data die null is",
        Events(&[FALSE, r#""data":null"#]),
        taken_as_false_is,
    ),
    accepts(
        "JSON-TYPE-4",
        "an extension whose text looks like another type",
        "een extensie waarvan de tekst op een ander type lijkt",
        Events(&[
            r#""cenltest":"2018-04-05T17:31:00.10Z""#,
            r#""cenltest":"007""#,
            r#""cenltest":"true""#,
        ]),
    ),
    accepts(
        "HTTP-DETECT-2",
        "a structured event whose content type is in capitals",
        "een gestructureerde gebeurtenis met een content type in hoofdletters",
        Structured(|target| {
            let media = "Application/CloudEvents+Json";
            vec![Try::new(media, typed(target.structured(""), media))]
        }),
    ),
    scenario(
        "HTTP-DETECT-4",
        "an event that headers alone tell",
        "een gebeurtenis die alleen uit headers blijkt",
        Structured(|target| {
            let mut untyped = target.binary(&[], "");
            untyped.headers.retain(|(name, _)| name != "content-type");
            let like_an_event = target.binary(&[], r#"{"specversion":"9.9","test":true}"#);
            vec![
                Try::new("binary", target.binary(&[], TEST)),
                Try::new("binary, with data like an event", like_an_event),
                Try::new(UNTYPED, untyped),
            ]
        }),
        |_, seen| {
            broken_where(seen, |seen| match seen.status() {
                // A webhook is sent with both (HOOK-REQ-2).
                Some(400..=499) if seen.what == UNTYPED => false,
                _ => !seen.is_accepted(),
            })
        },
    ),
    scenario(
        "HTTP-STR-4",
        "an event that the body alone tells",
        "een gebeurtenis die alleen uit de body blijkt",
        Binary(|target| {
            let all =
                r#""subject":"é😀","time":"2018-04-05T19:31:00+02:00","dataschema":"urn:a:b""#;
            let nanoseconds = r#""time":"2018-04-05T17:31:00.123456789Z""#;
            let id = format!(r#""id":"{}-é""#, target.id());
            let members = ["", all, nanoseconds, &*id, FALSE, EMPTY];
            let tries = members.map(|members| {
                let what = format!("structured {members}");
                Try::new(what.trim(), target.structured(members))
            });
            let spaced = format!("\n{:#}", Value::Object(target.event("")));
            let spaced = target.structured("").with_body(spaced);
            let spaced = Try::new("structured, pretty-printed behind a line break", spaced);
            tries.into_iter().chain([spaced]).collect()
        }),
        taken_but_for_data,
    ),
    scenario(
        "HTTP-BIN-1",
        "data of several content types in binary mode, with parameters and without",
        "data van verschillende content types in binaire modus, met parameters en zonder",
        Binary(|target| {
            let bodies = [
                ("application/json; charset=utf-8", TEST),
                ("application/xml", "<test/>"),
                ("text/plain; charset=utf-8; title=%41", "Súdwest"),
            ];
            let tries = bodies.map(|(media, body)| {
                Try::new(media, target.binary(&[("content-type", media)], body))
            });
            let control = Try::new(JSON_FALSE, target.binary(&[], "false"));
            tries.into_iter().chain([control]).collect()
        }),
        taken_but_for_data,
    ),
    accepts(
        "CE-TIME-1",
        "`time` with small letters (RFC 3339, 5.6)",
        "`time` met kleine letters (RFC 3339, 5.6)",
        Headers(&[("ce-time", "2018-04-05t17:31:00z")]),
    ),
    accepts(
        "HTTP-BIN-3",
        "optional attributes and extensions in headers",
        "optionele attributen en extensies in headers",
        Headers(&[
            ("ce-subject", "S%C3%BAdwest%20Frysl%C3%A2n%20%F0%9F%98%80"),
            ("ce-time", "2018-04-05T17:31:00.10Z"),
            ("ce-time", "2018-04-05T19:31:00+02:00"),
            ("ce-dataschema", "urn:nld:cenl"),
            ("ce-nlbrpnationaliteit", "0083"),
        ]),
    ),
    accepts(
        "HTTP-BIN-6",
        "headers whose names have capitals",
        "headers met hoofdletters in hun naam",
        Binary(|target| {
            let mut request = target.binary(&[], TEST);
            request.capitals = true;
            vec![Try::new("Ce-Id, Ce-Source, …", request)]
        }),
    ),
    scenario(
        "HTTP-BIN-7",
        "JSON that is no object, and bytes that are no text, as the body",
        "JSON die geen object is, en bytes die geen tekst zijn, als body",
        Binary(|target| {
            let media = "application/octet-stream";
            let request = target.binary(&[("content-type", media)], *b"\x00\xFF ");
            vec![
                Try::new(JSON_FALSE, target.binary(&[], "false")),
                Try::new(media, request),
            ]
        }),
        taken_but_for_data,
    ),
    accepts(
        "HTTP-STR-2",
        "a structured event with headers that differ from it",
        "een gestructureerde gebeurtenis met headers die ervan afwijken",
        Structured(|target| {
            let copies = [
                ("ce-id", "other"),
                ("ce-specversion", "9.9"),
                ("ce-type", ""),
            ];
            let tries = copies.map(|(name, value)| {
                let request = target.structured("").with(name, value);
                Try::new(format!("{name}: {value}"), request)
            });
            tries.into()
        }),
    ),
    accepts(
        "HTTP-BATCH-4",
        "an empty batch, where batches are taken",
        "een lege batch, waar batches worden aangenomen",
        Made(|known| {
            known.needs_batch()?;
            Ok(vec![Try::new("[]", known.target.batch(&[]))])
        }),
    ),
    accepts(
        "SIZE-2",
        "events of 65,536 bytes on the wire, in both modes",
        "gebeurtenissen van 65.536 bytes op de lijn, in beide modi",
        Made(|known| {
            known.in_both_modes(
                Try::new("64 KiB structured", structured_of(known, BYTES)),
                Try::new("64 KiB binary", binary_of(known, BYTES)),
            )
        }),
    ),
];

/// A trace and a place in it (W3C Trace Context).
const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// What every consumer should take.
const BYTES: usize = 64 << 10;

const TEST: &str = r#"{"test":true}"#;

const UNTYPED: &str = "binary without content type and data";

/// Data that is no object, as that of plain events is.
pub(super) const FALSE: &str = r#""data":false"#;
const EMPTY: &str = r#""data":[]"#;
const JSON_FALSE: &str = "json: false";

/// As an application refuses what it does not want, and nobody who fails.
fn is_refused(seen: &Seen) -> bool {
    matches!(seen.status(), Some(400 | 422))
}

/// Other data than that of plain events may be refused for itself: with 415 where its format is not
/// understood (HOOK-RESP-11), and by an application that wants an object, which shows by [`JSON_FALSE`].
fn taken_but_for_data(_: &Known, seen: &[Seen]) -> Shown {
    let is_false = |seen: &Seen| seen.what == JSON_FALSE;
    let wants_objects = seen.iter().any(|seen| is_false(seen) && is_refused(seen));
    let is_for_data = |seen: &&Seen| {
        let is_no_json = ["application/xml", "text/", "application/octet-stream"]
            .iter()
            .any(|media| seen.what.starts_with(media));
        let is_no_object = [FALSE, EMPTY, JSON_FALSE]
            .iter()
            .any(|data| seen.what.ends_with(data));
        match seen.status() {
            Some(415) => is_no_json,
            Some(400 | 422) => is_no_object || is_no_json && wants_objects,
            _ => false,
        }
    };
    let (for_data, others): (Vec<_>, Vec<_>) = seen.iter().partition(is_for_data);
    match (broken_where(others, |seen| !seen.is_accepted()), &*for_data) {
        (Shown::Met, [first, ..]) => nothing(
            format!("the application may refuse such data: {}", first.told()),
            format!("de toepassing kan zulke data weigeren: {}", first.told()),
        ),
        (shown, _) => shown,
    }
}

/// [`FALSE`] comes first: where it is refused, other data that is no object may be refused for the same.
pub(super) fn taken_as_false_is(_: &Known, seen: &[Seen]) -> Shown {
    let Some((control, others)) = seen.split_first() else {
        return nothing("no answers", "geen antwoorden");
    };
    let has_data = |seen: &Seen| {
        let mut members = [r#""data":"#, r#""data_base64":"#].iter();
        members.any(|member| seen.what.contains(member))
    };
    let is_excused = |seen: &Seen| is_refused(control) && has_data(seen);
    match broken_where(others, |seen| !seen.is_accepted() && !is_excused(seen)) {
        Shown::Met if is_refused(control) => nothing(
            format!(
                "the application may refuse data that is no object: {}",
                control.told()
            ),
            format!(
                "de toepassing kan data weigeren die geen object is: {}",
                control.told()
            ),
        ),
        shown => shown,
    }
}

/// An event whose request is so large, in structured mode.
pub(in crate::receiver) fn structured_of(known: &Known, bytes: usize) -> Request {
    let id = known.target.id();
    filled(bytes, |data| {
        let members = format!(r#""id":"{id}","data":{{"test":"{data}"}}"#);
        known.target.structured(&members)
    })
}

fn binary_of(known: &Known, bytes: usize) -> Request {
    let id = known.target.id();
    filled(bytes, |data| {
        let json = format!(r#"{{"test":"{data}"}}"#);
        known.target.binary(&[("ce-id", &*id)], json)
    })
}

/// The length of half as large a body has as many digits, for 64 KiB.
fn filled(bytes: usize, of: impl Fn(&str) -> Request) -> Request {
    let half = "a".repeat(bytes / 2);
    let more = bytes.saturating_sub(of(&half).size());
    of(&(half + &"a".repeat(more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receiver::target::Target;

    #[test]
    fn they_are_exactly_so_large() {
        let known = Known::nothing_yet(Target::example());
        for request in [structured_of(&known, BYTES), binary_of(&known, BYTES)] {
            assert_eq!(request.size(), BYTES, "{request:?}");
        }
    }
}
