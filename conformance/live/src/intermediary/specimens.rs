//! Events that are easily damaged on their way, each in the modes that the near end knows.

use cloudevents_nl_codec::{Data, Event, EventError, JsonText, STRUCTURED_JSON, Value};
use cloudevents_nl_conformance::{Capture, Mode, Protocol};

use super::load::digits;
use super::message::{Message, Writer};
use crate::command::mode_word;

/// Whose events these are; of the form that the NL GOV profile asks for.
pub(crate) const SOURCE: &str = "urn:nld:kvknr:09220932.conformiteitstoets";
/// Case counts in it, and a slash at its end.
const OTHER_SOURCE: &str = "urn:nld:kvknr:09220932.Proefopstelling/";
const THIRD_SOURCE: &str = "urn:nld:kvknr:09220932.proefopstelling#Deel";
pub(crate) const TYPE: &str = "nl.conformiteitstoets.proeven.gedaan";
const OTHER_TYPE: &str = "nl.conformiteitstoets.Proeven.gedaan";
/// The largest event that everybody has to forward (SIZE-1).
pub(crate) const LARGEST: usize = 64 << 10;

const JSON: &str = "application/json";

/// What a specimen is beside the required attributes.
type Make = fn(Event<'static>) -> Result<Event<'static>, EventError>;

const SPECIMENS: [(&str, Make); 30] = [
    ("plain", |event| {
        json(event, r#"{"zaak":"2026-1","leeg":[]}"#)
    }),
    // Who knows events by `id` alone takes it for a repeat of the one before.
    ("same-id", |event| {
        let id = event.id().replace("same-id", "plain");
        json(Event::new(id, OTHER_SOURCE, TYPE)?, r#"{"zaak":"2026-2"}"#)
    }),
    // So does who does not tell small letters from capitals.
    ("PLAIN", |event| json(event, r#"{"zaak":"2026-4"}"#)),
    ("digits", |event| {
        // No two modes have names of one length.
        let run = event.id().split('/').next().unwrap_or_default();
        let id = format!("{}{}", digits(run), event.id().len());
        let event = Event::new(id, THIRD_SOURCE, OTHER_TYPE)?;
        json(event, r#"{"zaak":"2026-5"}"#)
    }),
    ("none", Ok),
    ("none-typed", |event| {
        event.with_attribute("datacontenttype", JSON)
    }),
    ("numbers", |event| {
        json(
            event,
            r#"{"a":1.50,"b":1e400,"c":-0.0,"d":1234567890123456789012345,"e":0.1}"#,
        )
    }),
    ("escapes", |event| {
        json(
            event,
            r#"{ "t": "\u00e9\/\ud83d\ude00\u0000", "u": "é😀", "a.b": {"$c": 1}, "__proto__": 1, "moment": "2026-11-21T10:00:00.50+01:00" }"#,
        )
    }),
    // Some readers of JSON go no deeper than 64, and some than 100.
    ("deep", |event| {
        let text = "[".repeat(70) + &"]".repeat(70);
        Ok(event.with_json(JsonText::new(text).expect("JSON")))
    }),
    ("json-null", |event| json(event, "null")),
    ("json-text", |event| json(event, r#""tekst""#)),
    ("json-like-text", |event| json(event, r#""{\"a\":1}""#)),
    ("number-like-text", |event| json(event, r#""0012""#)),
    ("untyped-json", |event| {
        event.with_data_alone(Data::Json(JsonText::new(r#"{"a":1.0}"#).expect("JSON")))
    }),
    ("vendor-json", |event| {
        event.with_data(
            "application/vnd.Zaak+json",
            Data::Json(JsonText::new("[1]").expect("JSON")),
        )
    }),
    (TEXT, |event| {
        let text = " één &\r\n\"twee\"\t😀 ${a} {{b}}\n";
        event.with_text("text/plain; charset=utf-8", text)
    }),
    ("json-like-plain-text", |event| {
        event.with_text("text/plain", r#"{"a":1}"#)
    }),
    ("xml", |event| {
        event.with_text("application/xml", "<a b=\"c\">é</a>")
    }),
    ("empty-text", |event| event.with_text("text/plain", "")),
    ("bytes", |event| {
        event.with_bytes("application/octet-stream", (0..=255).collect::<Vec<u8>>())
    }),
    ("bytes-untyped", |event| {
        event.with_data_alone(Data::Binary(b"\xff\x00\xfe".into()))
    }),
    ("optional-attributes", |event| {
        json(event, "[]")?
            .with_time("2026-11-21T10:00:00.123456789+01:00")?
            .with_dataschema("https://schema.example/%7eZaak?v=1")?
            .with_subject(format!(
                "\"Één \"zaak\" & 'e\u{301}ﬁ' \\ \u{a0}\u{200d} 100% 😀 ${{a}} {{{{b}}}}{}\"",
                "n".repeat(300)
            ))
    }),
    ("unknown-extensions", |event| {
        json(event, "{}")?
            .with_extension("onbekend", r#"Bewaar %41, "mij"; = zoals IK ben"#)?
            .with_extension("kantlijn", "  met ruimte eromheen ")?
            .with_extension("lang", "Aa".repeat(1000))?
            .with_extension("leeg", "")?
            .with_extension("deel2", "2b")?
            .with_extension("nullen", "0012")?
            .with_extension("geenwaar", "true")?
            .with_extension("cijfers", "42")
    }),
    ("typed-extensions", |event| {
        json(event, "1")?
            .with_extension("aantal", Value::from(i32::MIN))?
            .with_extension("vlag", Value::from(true))?
            .with_extension("rauw", Value::binary(b"\xfb\xff"))?
            .with_extension("moment", "2026-11-21T10:00:00+01:00")
    }),
    ("trace", |event| {
        json(event, "{}")?
            .with_extension(
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            )?
            .with_extension("tracestate", "cenl=1")
    }),
    ("moments", |event| {
        json(event, "{}")?
            .with_time("2026-11-21T10:00:00Z")?
            .with_extension("expirytime", "2199-12-31T23:00:00Z")?
            .with_extension("recordedtime", "2026-11-21T10:00:00.5Z")
    }),
    ("partition-key", |event| {
        json(event, "{}")?.with_extension("partitionkey", "Sleutel 1/é")
    }),
    ("reference", |event| {
        json(event, r#"{"a":1}"#)?.with_extension("dataref", "https://data.example/zaken/1")
    }),
    (MEDIA_TYPE, |event| json(event, "{}")),
    (CLASSIFIED, |event| {
        json(event, "{}")?
            .with_extension("dataclassification", "onbekend-niveau")?
            .with_extension("dataregulation", "AVG")
    }),
];

/// The name of the specimen whose media type is spelled otherwise, where that is no attribute.
const MEDIA_TYPE: &str = "media-type";
/// Case does not count in it (RFC 9110, 8.3.1).
pub(crate) const SPELLED: &str = "Application/CloudEvents+JSON";
/// The name of the specimen that may be refused: its classification is one that nobody knows.
pub(crate) const CLASSIFIED: &str = "classified";
/// The name of one of small data of the same kind.
pub(crate) const TEXT: &str = "text";
/// The name of the specimen that is as large as everybody has to forward.
pub(crate) const LARGE: &str = "64-KiB";

/// All of them as messages, in one mode. Their ids begin with `run`; `framing` is what the end sends beside
/// headers and body.
pub(crate) fn specimens(run: &str, writer: &Writer, framing: usize) -> Vec<Message> {
    let word = mode_word(writer.mode);
    let event = |name: &str, make: Make| {
        let event = Event::new(format!("{run}/{word}/{name}"), SOURCE, TYPE).and_then(make);
        event.expect("specimens are events")
    };
    let is_batch = writer.mode == Mode::Batched;
    let small = SPECIMENS
        .iter()
        .filter(|it| !is_batch || it.0 != CLASSIFIED);
    let small: Vec<_> = small.map(|it| (it.0, event(it.0, it.1))).collect();
    let mut messages = writer.write(&small);
    let is_announced = (writer.protocol, writer.mode) == (Protocol::Http, Mode::Structured);
    for message in &mut messages {
        if is_announced && message.names == [MEDIA_TYPE] {
            let mut headers = message.capture.headers.iter_mut();
            let announced = headers.find(|it| it.name.eq_ignore_ascii_case("content-type"));
            announced.expect("a media type").value = Some(SPELLED.into());
        }
    }
    let large = |bytes: usize| {
        let text = "x".repeat(bytes);
        let event = event(LARGE, Ok).with_text("text/plain", text);
        writer.write(&[(LARGE, event.expect("text"))])
    };
    // One that takes exactly what it is to, as it is sent; a second look, for the digits of its length.
    let mut bytes = LARGEST / 2;
    for _ in 0..2 {
        let size: usize = large(bytes).iter().map(Message::size).sum();
        bytes = (bytes + LARGEST).saturating_sub(framing + size);
    }
    messages.extend(large(bytes));
    messages
}

pub(crate) const UNKNOWN_FORMAT: &str = "unknown-format";
pub(crate) const CONTROL_CHARACTER: &str = "control-character";
/// What an intermediary may refuse.
pub(crate) const ODD: [&str; 3] = [CLASSIFIED, UNKNOWN_FORMAT, CONTROL_CHARACTER];

/// Messages that an intermediary may refuse, for the structured mode of an end. They may keep it busy, so
/// that they go in last, and only where the operator wants it.
pub(crate) fn odd(run: &str, writer: &Writer) -> Vec<Message> {
    if writer.mode != Mode::Structured {
        return Vec::new();
    }
    let control = format!(
        r#"{{"specversion":"1.0","id":"{run}/{CONTROL_CHARACTER}","source":"{SOURCE}","type":"{TYPE}","subject":"a\u0007b"}}"#
    );
    let unknown = format!("{run}/{UNKNOWN_FORMAT}");
    let messages = [
        (UNKNOWN_FORMAT, "application/cloudevents+cenl", unknown),
        (CONTROL_CHARACTER, STRUCTURED_JSON, control),
    ];
    let messages = messages.map(|(name, content_type, body)| {
        let mut capture = Capture::new(writer.protocol).with_header("content-type", content_type);
        capture.body = Some(body.into_bytes());
        Message {
            names: vec![name],
            capture,
        }
    });
    messages.into()
}

fn json(event: Event<'static>, text: &'static str) -> Result<Event<'static>, EventError> {
    Ok(event.with_json(JsonText::new(text).expect("JSON")))
}
