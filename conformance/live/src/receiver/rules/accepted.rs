//! What senders may do, so that no receiver may refuse it.
//!
//! Where it can be, a message is valid only for those who read it right: `ce-specversion: 1%2E0` is no
//! version for a reader that leaves percent codes as they are.

use serde_json::Value;

use super::{accepts, text};
use crate::receiver::scenario::Tries::{Events, Headers};
use crate::receiver::scenario::{Scenario, Tries, Try};

pub(super) const SCENARIOS: &[Scenario] = &[
    accepts(
        "CE-DCT-3",
        text(
            "JSON data whose content type is in capitals",
            "JSON-data met een content type in hoofdletters",
        ),
        Events(&[r#""datacontenttype":"Application/JSON""#]),
    ),
    accepts(
        "CE-DCT-5",
        text(
            "a content type without data",
            "een content type zonder data",
        ),
        Events(&["-data"]),
    ),
    accepts(
        "CE-TYPES-14",
        text(
            "an integer as a number and as text",
            "een geheel getal als getal en als tekst",
        ),
        Events(&[r#""sampledrate":5"#, r#""sampledrate":"5""#]),
    ),
    accepts(
        "CE-ID-4",
        text(
            "one event twice, as after a failure",
            "één gebeurtenis twee keer, zoals na een storing",
        ),
        Tries::Made(|known| {
            known.needs_structured()?;
            let event = known.target.structured("");
            Ok(vec![
                Try::new("first", event.clone()),
                Try::new("again", event),
            ])
        }),
    ),
    accepts(
        "NL-TYPE-2",
        text(
            "an event of a more specific type",
            "een gebeurtenis van een specifieker type",
        ),
        Tries::Made(|known| {
            known.needs_structured()?;
            let event_type = Value::from(format!("{}.specifiek", known.target.event_type));
            let members = format!(r#""type":{event_type}"#);
            Ok(vec![Try::new(
                "type: ….specifiek",
                known.target.structured(&members),
            )])
        }),
    ),
    accepts(
        "NL-DATAREF-1",
        text(
            "`dataref`, with data and without",
            "`dataref`, met en zonder data",
        ),
        Events(&[
            r#""dataref":"https://cenl-conformance.invalid/1""#,
            r#"-data -datacontenttype "dataref":"https://cenl-conformance.invalid/1""#,
        ]),
    ),
    accepts(
        "JSON-NULL-1",
        text("an extension that is null", "een extensie die null is"),
        Events(&[r#""cenltest":null"#]),
    ),
    accepts(
        "JSON-NULL-2",
        text(
            "optional attributes that are null",
            "optionele attributen die null zijn",
        ),
        Events(&[r#""subject":null,"time":null,"dataschema":null"#]),
    ),
    accepts(
        "JSON-DATA-8",
        text(
            "`data` without `datacontenttype`",
            "`data` zonder `datacontenttype`",
        ),
        Events(&[
            r#"-datacontenttype "data":"only a text""#,
            "-datacontenttype",
        ]),
    ),
    accepts(
        "JSON-DATA-9",
        text("JSON data that is null", "JSON-data die null is"),
        Events(&[r#""data":null"#]),
    ),
    accepts(
        "JSON-TYPE-4",
        text(
            "an extension whose text looks like another type",
            "een extensie waarvan de tekst op een ander type lijkt",
        ),
        Events(&[
            r#""cenltest":"2018-04-05T17:31:00.10Z""#,
            r#""cenltest":"007""#,
            r#""cenltest":"true""#,
        ]),
    ),
    accepts(
        "HTTP-DETECT-2",
        text(
            "a structured event whose content type is in capitals",
            "een gestructureerde gebeurtenis met een content type in hoofdletters",
        ),
        Tries::Made(|known| {
            known.needs_structured()?;
            let media = "Application/CloudEvents+Json;Charset=UTF-8";
            let mut request = known.target.structured("");
            request.headers.retain(|(name, _)| name != "content-type");
            Ok(vec![Try::new(media, request.with("content-type", media))])
        }),
    ),
    accepts(
        "HTTP-DETECT-4",
        text(
            "an event that headers alone tell",
            "een gebeurtenis die alleen uit headers blijkt",
        ),
        Tries::Made(|known| {
            known.needs_structured()?;
            Ok(vec![Try::new("binary", known.target.binary(&[], TEST))])
        }),
    ),
    accepts(
        "HTTP-STR-4",
        text(
            "an event that the body alone tells",
            "een gebeurtenis die alleen uit de body blijkt",
        ),
        Tries::Made(|known| {
            known.needs_binary()?;
            Ok(vec![Try::new("structured", known.target.structured(""))])
        }),
    ),
    accepts(
        "HTTP-BIN-1",
        text(
            "data of other types than JSON in binary mode",
            "data van andere types dan JSON in binaire modus",
        ),
        Tries::Made(|known| {
            known.needs_binary()?;
            let bodies = [
                ("application/xml", "<test/>"),
                ("text/plain; charset=utf-8; title=%41", "Súdwest"),
            ];
            let tries = bodies.map(|(media, body)| {
                Try::new(media, known.target.binary(&[("content-type", media)], body))
            });
            Ok(tries.into())
        }),
    ),
    accepts(
        "HTTP-BIN-3",
        text(
            "optional attributes and extensions in headers",
            "optionele attributen en extensies in headers",
        ),
        Headers(&[
            ("ce-subject", "test"),
            ("ce-time", "2018-04-05T17:31:00.10Z"),
            ("ce-nlbrpnationaliteit", "0083"),
        ]),
    ),
    accepts(
        "HTTP-BIN-6",
        text(
            "headers whose names have capitals",
            "headers met hoofdletters in hun naam",
        ),
        Tries::Made(|known| {
            known.needs_binary()?;
            let mut request = known.target.binary(&[], TEST);
            request.capitals = true;
            Ok(vec![Try::new("Ce-Id, Ce-Source, …", request)])
        }),
    ),
    accepts(
        "HTTP-BIN-7",
        text(
            "bytes that are no text as the body",
            "bytes die geen tekst zijn als body",
        ),
        Tries::Made(|known| {
            known.needs_binary()?;
            let media = "application/octet-stream";
            let request = known
                .target
                .binary(&[("content-type", media)], *b"\x00\xFF ");
            Ok(vec![Try::new(media, request)])
        }),
    ),
    accepts(
        "HTTP-DEC-1",
        text(
            "values in double quotes, as older senders write",
            "waarden tussen aanhalingstekens, zoals oudere verzenders schrijven",
        ),
        Headers(&[
            ("ce-subject", r#""Euro \"5\"""#),
            ("ce-specversion", "\"1.0\""),
        ]),
    ),
    accepts(
        "HTTP-DEC-2",
        text("a percent sign that is coded", "een gecodeerd procentteken"),
        // Decoded twice, they are no text in UTF-8, and no URI.
        Headers(&[
            ("ce-subject", "%25FF"),
            ("ce-dataschema", "urn:nld:cenl-conformance:a%2520b"),
        ]),
    ),
    accepts(
        "HTTP-DEC-3",
        text(
            "percent codes with small letters",
            "procentcodes met kleine letters",
        ),
        Headers(&[("ce-subject", "%e2%82%ac"), ("ce-specversion", "1%2e0")]),
    ),
    accepts(
        "HTTP-DEC-4",
        text(
            "percent codes that are not needed",
            "procentcodes die niet nodig zijn",
        ),
        Headers(&[("ce-subject", "%41%2D%7A"), ("ce-specversion", "%31.0")]),
    ),
    accepts(
        "HTTP-STR-2",
        text(
            "a structured event with headers that differ from it",
            "een gestructureerde gebeurtenis met headers die ervan afwijken",
        ),
        Tries::Made(|known| {
            known.needs_structured()?;
            let copies = [
                ("ce-id", "other"),
                ("ce-specversion", "9.9"),
                ("ce-type", ""),
            ];
            let tries = copies.map(|(name, value)| {
                let request = known.target.structured("").with(name, value);
                Try::new(format!("{name}: {value}"), request)
            });
            Ok(tries.into())
        }),
    ),
    accepts(
        "HTTP-BATCH-4",
        text(
            "an empty batch, where batches are taken",
            "een lege batch, waar batches worden aangenomen",
        ),
        Tries::Made(|known| {
            known.needs_batch()?;
            Ok(vec![Try::new("[]", known.target.batch(&[]))])
        }),
    ),
];

const TEST: &str = r#"{"test":true}"#;
