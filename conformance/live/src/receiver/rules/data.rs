//! Data of several kinds, in both modes: what is taken in one may not be refused in the other. What neither takes,
//! the application may not want.

use cloudevents_nl_conformance::{Shown, Why};
use serde_json::Value;

use super::accepted::{LONG, TEST};
use super::{accepts, scenario};
use crate::receiver::scenario::Tries::{Events, Made};
use crate::receiver::scenario::{Known, Scenario, Seen, Try, taken_unless};
use crate::receiver::target::Target;
use crate::shown::nothing;

pub(super) const SCENARIOS: &[Scenario] = &[
    accepts(
        "CE-DCT-3",
        "JSON data whose content type is in capitals, in both modes",
        "JSON-data met een content type in hoofdletters, in beide modi",
        Made(|known| both(known, &[("Application/JSON", IN_DATA, TEST.as_bytes())])),
    ),
    accepts(
        "CE-DCT-5",
        "a content type without data",
        "een content type zonder data",
        Events(&["-data"]),
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
        as_first_is,
    ),
    scenario(
        "JSON-DATA-9",
        "JSON data that is null",
        "JSON-data die null is",
        Events(&[FALSE, r#""data":null"#]),
        as_first_is,
    ),
    scenario(
        "HTTP-STR-4",
        "an event that the body alone tells, with data of several kinds",
        "een gebeurtenis die alleen uit de body blijkt, met verschillende soorten data",
        Made(|known| {
            known.needs_structured()?;
            known.needs_binary()?;
            let target = &known.target;
            let id = format!(r#""id":"{}-é/: 1""#, target.run);
            let long = format!(r#""subject":"{LONG}""#);
            let texts = r#""subject":"é😀","dataschema":"urn:a:b""#;
            let members = ["", texts, &*long, &*id];
            let tries = members.map(|members| {
                let what = format!("event {members}");
                Try::new(what.trim(), target.structured(members))
            });
            let spaced = format!("\n{:#}\n", Value::Object(target.event("")));
            let escaped = Value::Object(target.event(r#""subject":"😀""#)).to_string();
            let escaped = escaped.replace('😀', r"\ud83d\ude00").replace('/', r"\/");
            let escaped = escaped.replace(r#""type":"#, r#""\u0074ype":"#);
            let texts = [
                ("event, pretty-printed between line breaks", spaced),
                ("event, with escapes in a name and in texts", escaped),
            ];
            let texts =
                texts.map(|(what, text)| Try::new(what, target.structured("").with_body(text)));
            let tries = tries.into_iter().chain(texts);
            Ok(tries.chain(both(known, OF_EVENTS)?).collect())
        }),
        |_, seen| taken_in(STRUCTURED, seen),
    ),
    scenario(
        "HTTP-BIN-1",
        "data of several content types in binary mode, with parameters and without",
        "data van verschillende content types in binaire modus, met parameters en zonder",
        Made(|known| known.needs_binary().and_then(|()| both(known, OF_TYPES))),
        |_, seen| taken_in(BINARY, seen),
    ),
    scenario(
        "HTTP-BIN-7",
        "JSON of any kind, and bytes that are no text in UTF-8, as the body",
        "JSON van elke soort, en bytes die geen tekst in UTF-8 zijn, als body",
        Made(|known| known.needs_binary().and_then(|()| both(known, OF_BODIES))),
        |_, seen| taken_in(BINARY, seen),
    ),
    scenario(
        "JSON-DATA-7",
        "JSON data that is a text which looks like JSON",
        "JSON-data die een tekst is die op JSON lijkt",
        // Read as JSON once more, the last is none.
        Events(&[FALSE, r#""data":"1""#, r#""data":"{""#]),
        |known, seen| handed_on(as_first_is(known, seen)),
    ),
    scenario(
        "JSON-DATA-11",
        "`data_base64` without `datacontenttype`, where it is taken with one",
        "`data_base64` zonder `datacontenttype`, waar het met een wordt aangenomen",
        Events(&[
            r#"-data "datacontenttype":"application/octet-stream","data_base64":"AP8=""#,
            r#"-data -datacontenttype "data_base64":"AP8=""#,
        ]),
        |known, seen| handed_on(as_first_is(known, seen)),
    ),
    scenario(
        "JSON-DATA-13",
        "XML and CSV as text in `data`",
        "XML en CSV als tekst in `data`",
        Made(|known| {
            known.needs_structured()?;
            both(known, OF_TEXTS)
        }),
        |_, seen| handed_on(taken_in(STRUCTURED, seen)),
    ),
];

/// A content type, the member that holds the data in structured mode, and the body that is it in binary mode.
type Data = (&'static str, &'static str, &'static [u8]);

const STRUCTURED: &str = "structured";
const BINARY: &str = "binary";

const FALSE: &str = r#""data":false"#;
const IN_DATA: &str = r#""data":{"test":true}"#;

const JSON: &str = "application/json";
const NO_OBJECT: Data = (JSON, FALSE, b"false");
const EMPTY: Data = (JSON, r#""data":{}"#, b"{}");
const XML: Data = ("application/xml", r#""data":"<test/>""#, b"<test/>");
const BYTES: Data = (
    "application/octet-stream",
    r#""data_base64":"AP8=""#,
    b"\x00\xFF",
);
const WITH_CHARSET: Data = ("application/json; charset=utf-8", IN_DATA, TEST.as_bytes());
const UTF_8: &str = "text/plain; charset=utf-8";
const LATIN: &str = "text/plain; charset=iso-8859-1";
const SUFFIXED: Data = ("application/vnd.cenl+json", IN_DATA, TEST.as_bytes());

const OF_EVENTS: &[Data] = &[
    NO_OBJECT,
    EMPTY,
    BYTES,
    (
        JSON,
        r#""data":{"":-0.0,"a.b":1e-7}"#,
        br#"{"":-0.0,"a.b":1e-7}"#,
    ),
    (
        JSON,
        r#""data":{"a":"é😀\u0000"}"#,
        r#"{"a":"é😀\u0000"}"#.as_bytes(),
    ),
    (JSON, r#""data_base64":"W10=""#, b"[]"),
    WITH_CHARSET,
    SUFFIXED,
    ("text/json", IN_DATA, TEST.as_bytes()),
];
const OF_TYPES: &[Data] = &[
    NO_OBJECT,
    WITH_CHARSET,
    SUFFIXED,
    (SUFFIXED.0, r#""data":[1]"#, b"[1]"),
    XML,
    (
        "text/plain; charset=utf-8; title=%41",
        r#""data":"Súdwest""#,
        "Súdwest".as_bytes(),
    ),
];
const OF_BODIES: &[Data] = &[
    NO_OBJECT,
    EMPTY,
    BYTES,
    (UTF_8, r#""data":"é""#, "é".as_bytes()),
    (LATIN, r#""data_base64":"6Q==""#, b"\xE9"),
];
const OF_TEXTS: &[Data] = &[
    NO_OBJECT,
    XML,
    ("text/csv", r#""data":"a;b\r\n""#, b"a;b\r\n"),
];

fn both(known: &Known, all: &[Data]) -> Result<Vec<Try>, Why> {
    known.in_both_modes(all.iter().map(|data| pair(&known.target, data)))
}

fn pair(target: &Target, (media, member, body): &Data) -> [Try; 2] {
    let told = format!("{media} {}", body.escape_ascii());
    let members = format!(r#"-data "datacontenttype":"{media}",{member}"#);
    let binary = target.binary(&[("content-type", *media)], *body);
    [
        Try::new(format!("{STRUCTURED} {told}"), target.structured(&members)),
        Try::new(format!("{BINARY} {told}"), binary),
    ]
}

/// Judges one mode. Data may be refused for itself where the other mode does not take it either, where it is no
/// object and `false` is refused too, and with 415 where the body is in another format than JSON (HOOK-RESP-11). A
/// charset says nothing of JSON, so that nobody may refuse it.
fn taken_in(mode: &str, seen: &[Seen]) -> Shown {
    let other = if mode == BINARY { STRUCTURED } else { BINARY };
    let is_other = |seen: &&Seen| seen.what.starts_with(other);
    let (others, own): (Vec<_>, Vec<_>) = seen.iter().partition(is_other);
    let is_false = |seen: &&&Seen| seen.what.ends_with("json false");
    let wants_objects = own.iter().filter(is_false).any(|seen| !seen.is_accepted());
    // The event holds the other in Base64, where a charset is none.
    let is_text = |seen: &&&Seen| seen.what.contains(UTF_8);
    let wants_no_text = own.iter().filter(is_text).any(|seen| !seen.is_accepted());
    taken_unless(own, |seen| {
        let Some(data) = seen.what.strip_prefix(mode) else {
            return false;
        };
        let is_same = |seen: &&&Seen| seen.what.ends_with(data);
        let is_json = data.trim_start().starts_with(JSON);
        let is_format = mode == BINARY && seen.status() == Some(415) && !is_json;
        let is_own_affair = is_format
            || !others.iter().filter(is_same).any(|seen| seen.is_accepted())
            || (wants_objects && !data.ends_with('}'))
            || (wants_no_text && data.contains(LATIN));
        is_own_affair && !data.contains(WITH_CHARSET.0)
    })
}

/// Who refuses the data of the first may refuse that of others, and with 415 what names no content type.
fn as_first_is(_: &Known, seen: &[Seen]) -> Shown {
    let Some((first, others)) = seen.split_first() else {
        return nothing("no answers", "geen antwoorden");
    };
    taken_unless(others, |seen| {
        let is_base64 = seen.what.contains(r#""data_base64":"#);
        let has_data = is_base64 || seen.what.contains(r#""data":"#);
        has_data && !first.is_accepted() || is_base64 && seen.status() == Some(415)
    })
}

/// Refusing breaks it, and accepting shows nothing of how it was read.
fn handed_on(shown: Shown) -> Shown {
    match shown {
        Shown::Met => nothing(
            "it was accepted, and only what the receiver hands on shows how it was read",
            "het is aangenomen; hoe het gelezen is, blijkt pas uit wat de ontvanger doorgeeft",
        ),
        shown => shown,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use base64_simd::STANDARD;

    use super::*;

    #[test]
    fn both_modes_have_the_same_data() {
        for data in [OF_EVENTS, OF_TYPES, OF_BODIES, OF_TEXTS].concat() {
            let [structured, binary] = pair(&Target::example(), &data);
            let event: Value = serde_json::from_slice(&structured.request.body).unwrap();
            let held = match (&event["data"], &event["data_base64"]) {
                (Value::Null, Value::String(text)) => STANDARD.decode_to_vec(text).unwrap(),
                (Value::String(text), Value::Null) => text.clone().into_bytes(),
                (json, _) => json.to_string().into_bytes(),
            };
            assert_eq!(
                (&*held, &event["datacontenttype"]),
                (data.2, &Value::from(data.0))
            );
            assert_eq!(held, binary.request.body);
        }
    }
}
