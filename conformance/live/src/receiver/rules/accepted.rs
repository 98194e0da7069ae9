//! What senders may do, so that no receiver may refuse it.
//!
//! Where it can be, a message is valid only for those who read it right: `ce-specversion: 1%2E0` is no
//! version for a reader that leaves percent codes as they are.

use serde_json::Value;

use super::{accepts, scenario};
use crate::client::{Letters, Request};
use crate::receiver::scenario::Tries::{Events, Headers, Made, Structured};
use crate::receiver::scenario::{
    Known, PLAIN_EXTENSION, Scenario, Seen, Try, broken_where, taken_unless,
};
use crate::receiver::target::typed;

pub(super) const SCENARIOS: &[Scenario] = &[
    // First: what is refused here is not told once more of each extension.
    accepts(
        "CE-INT-2",
        "extensions that no receiver knows, and `traceparent`, in both modes",
        "extensies die geen ontvanger kent, en `traceparent`, in beide modi",
        Made(|known| {
            let target = &known.target;
            let unknown = r#""cenlunknown2":"x","cenlnumber":-1,"cenltruth":false"#;
            let in_headers = [("ce-cenlunknown2", "x"), ("ce-cenlnumber", "-1")];
            let trace = format!(r#""traceparent":"{TRACE}""#);
            let in_header = [("ce-traceparent", TRACE)];
            let plain = target.binary(&[("ce-cenlunknown", "x")], TEST);
            known.in_both_modes([
                [
                    Try::new(PLAIN_EXTENSION, target.structured(r#""cenlunknown":"x""#)),
                    Try::new(format!("{PLAIN_EXTENSION}, binary"), plain),
                ],
                [
                    Try::new(unknown, target.structured(unknown)),
                    Try::new("ce-cenlunknown2: x", target.binary(&in_headers, TEST)),
                ],
                [
                    Try::new(&*trace, target.structured(&trace)),
                    Try::new("ce-traceparent", target.binary(&in_header, TEST)),
                ],
            ])
        }),
    ),
    accepts(
        "CE-TYPES-14",
        "an integer as a number and as text",
        "een geheel getal als getal en als tekst",
        Events(&[r#""sampledrate":5"#, r#""sampledrate":"5""#]),
    ),
    scenario(
        "CE-ID-4",
        "one event twice, in each mode, as after a failure; its `id` from another source and in capitals, which are other events",
        "één gebeurtenis twee keer, in elke modus, zoals na een storing; haar `id` van een andere bron en in hoofdletters, wat andere gebeurtenissen zijn",
        Made(|known| {
            known.needs_structured()?;
            let target = &known.target;
            let id = target.id();
            let same = format!(r#""id":"{id}""#);
            let capitals = format!(r#""id":"{}""#, id.to_uppercase());
            let source = target.other_source();
            let both = format!("{same},{source}");
            let mut tries = vec![
                Try::new("first", target.structured(&same)),
                Try::new("again", target.structured(&same)),
                Try::new("that id in capitals", target.structured(&capitals)),
                Try::new(OTHER_SOURCE, target.structured(&source)),
                Try::new(format!("that id, {OTHER_SOURCE}"), target.structured(&both)),
            ];
            if known.needs_binary().is_ok() {
                let again = target.binary(&[("ce-id", &*id)], TEST);
                tries.push(Try::new("again, binary", again));
            }
            if known.needs_batch().is_ok() {
                tries.push(Try::new("again, in a batch", target.batch(&[&*same])));
            }
            Ok(tries)
        }),
        |_, seen| {
            let is_unknown = |seen: &Seen| seen.what == OTHER_SOURCE && !seen.is_accepted();
            let is_unknown = seen.iter().any(is_unknown);
            taken_unless(seen, |seen| is_unknown && seen.what.ends_with(OTHER_SOURCE))
        },
    ),
    scenario(
        "NL-TYPE-2",
        "an event of a more specific type",
        "een gebeurtenis van een specifieker type",
        Structured(|target| {
            let event_type = Value::from(format!("{}.specifiek", target.event_type));
            let event = target.structured(&format!(r#""type":{event_type}"#));
            vec![Try::new("type: ….specifiek", event)]
        }),
        |_, seen| taken_unless(seen, |_| true),
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
        "a structured event and a batch whose content type is in capitals",
        "een gestructureerde gebeurtenis en een batch met een content type in hoofdletters",
        Made(|known| {
            known.needs_structured()?;
            let target = &known.target;
            let media = "Application/CloudEvents+Json";
            let mut tries = vec![Try::new(media, typed(target.structured(""), media))];
            if known.needs_batch().is_ok() {
                let media = "Application/CloudEvents-Batch+Json";
                tries.push(Try::new(media, typed(target.batch(&[""]), media)));
            }
            Ok(tries)
        }),
    ),
    scenario(
        "HTTP-DETECT-4",
        "an event that headers alone tell",
        "een gebeurtenis die alleen uit headers blijkt",
        Structured(|target| {
            let untyped = target.binary(&[], "").without("content-type");
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
        "CE-TIME-1",
        "`time` in all forms of RFC 3339, 5.6, where it is taken in one",
        "`time` in alle vormen van RFC 3339, 5.6, waar het in één wordt aangenomen",
        Made(|known| {
            let mut tries = known.in_both_modes(TIMES.into_iter().chain(FAR).map(|time| {
                let structured = known.target.structured(&format!(r#""time":"{time}""#));
                let binary = known.target.binary(&[("ce-time", time)], TEST);
                [
                    Try::new(format!("structured time: {time}"), structured),
                    Try::new(format!("binary time: {time}"), binary),
                ]
            }))?;
            // There it is of HTTP-DEC-2.
            tries.retain(|one| !(one.what.starts_with("binary") && one.what.contains('+')));
            Ok(tries)
        }),
        |_, seen| {
            let is_far = |one: &Seen| FAR.iter().any(|time| one.what.ends_with(time));
            let is_taken = |one: &Seen| one.is_accepted() && !is_far(one);
            let is_taken = seen.iter().any(is_taken);
            taken_unless(seen, |one| !is_taken || is_far(one))
        },
    ),
    accepts(
        "HTTP-BIN-3",
        "optional attributes and extensions in headers",
        "optionele attributen en extensies in headers",
        Headers(&[
            ("ce-subject", "S%C3%BAdwest%20Frysl%C3%A2n%20%F0%9F%98%80"),
            ("ce-dataschema", "urn:nld:cenl"),
            ("ce-nlbrpnationaliteit", "0083"),
            ("ce-cenlregio", "Frysl%C3%A2n,%20%22a%22%20%27b%27"),
            ("ce-cenllong", LONG),
            ("ce-subject", LONG),
        ]),
    ),
    accepts(
        "HTTP-BIN-6",
        "names of headers in other letters: `Content-Type`, `CE-ID`",
        "headernamen in andere letters: `Content-Type`, `CE-ID`",
        Made(|known| {
            let target = &known.target;
            let all = [Letters::Small, Letters::Words, Letters::Capitals];
            let others = all.into_iter().filter(|it| *it != target.letters.get());
            // Who refuses extensions refuses them in any letters.
            let extension: &[(&str, &str)] = match known.needs_extensions() {
                Ok(()) => &[("ce-cenltest", "x")],
                Err(_) => &[],
            };
            known.in_both_modes(others.map(|letters| {
                let named = |name, request: Request| {
                    Try::new(letters.spell(name), request.spelled(letters))
                };
                [
                    named("content-type", target.structured("")),
                    named("ce-id", target.binary(extension, TEST)),
                ]
            }))
        }),
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
            let mut all = target.structured("").with("ce-source", "other");
            let mut tries = Vec::new();
            for (name, value) in copies {
                let request = target.structured("").with(name, value);
                tries.push(Try::new(format!("{name}: {value}"), request));
                all = all.with(name, value);
            }
            tries.push(Try::new("all four", all));
            tries
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
            known.in_both_modes([[
                Try::new("64 KiB structured", structured_of(known, BYTES)),
                Try::new("64 KiB binary", binary_of(known, BYTES)),
            ]])
        }),
    ),
];

/// A trace and a place in it (W3C Trace Context).
const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// What every consumer should take.
const BYTES: usize = 64 << 10;

pub(super) const TEST: &str = r#"{"test":true}"#;

/// All of RFC 3339.
const TIMES: [&str; 8] = [
    "2018-04-05T17:31:00Z",
    "2018-04-05T17:31:00.123Z",
    "2018-04-05T17:31:00.1234567891Z",
    "2018-04-05T23:01:00+05:30",
    "2018-04-05T15:31:00-02:00",
    "2018-04-05T17:31:00-00:00",
    "2018-04-05t17:31:00z",
    "2016-12-31T23:59:60Z",
];

/// No application has to want these, and none may fail for them.
const FAR: [&str; 3] = [
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2018-04-04T17:32:00-23:59",
];

pub(super) const LONG: &str = "\
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
";

const OTHER_SOURCE: &str = "another source";

const UNTYPED: &str = "binary without content type and data";

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
        let known = Known {
            target: Target::example(),
            ..Known::default()
        };
        for request in [structured_of(&known, BYTES), binary_of(&known, BYTES)] {
            assert_eq!(request.size(), BYTES);
        }
    }
}
