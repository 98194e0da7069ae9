//! Events, JSON texts and headers to try.

use std::collections::BTreeMap;
use std::ops::Range;

use cloudevents_nl_codec::{Data, Event, JsonText, Value};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What an event is made of.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) subject: Option<String>,
    pub(crate) time: Option<&'static str>,
    pub(crate) extensions: BTreeMap<String, ExtensionShape>,
    pub(crate) data: (Option<&'static str>, DataShape),
}

#[derive(Clone, Debug)]
pub(crate) enum ExtensionShape {
    Boolean(bool),
    Integer(i32),
    Text(String),
}

#[derive(Clone, Debug)]
pub(crate) enum DataShape {
    None,
    Json(String),
    Text(String),
    Binary(Vec<u8>),
}

impl Shape {
    pub(crate) fn least() -> Self {
        Self {
            id: "1".into(),
            source: "/a".into(),
            subject: None,
            time: None,
            extensions: BTreeMap::new(),
            data: (None, DataShape::None),
        }
    }
}

pub(crate) fn event(shape: &Shape) -> Event<'static> {
    let shape = shape.clone();
    let mut event = Event::new(shape.id, shape.source, "nl.example.tested").unwrap();
    for (name, text) in [
        ("subject", shape.subject),
        ("time", shape.time.map(str::to_owned)),
    ] {
        if let Some(text) = text {
            event = event.with_attribute(name, text).unwrap();
        }
    }
    for (name, value) in shape.extensions {
        let value = match value {
            ExtensionShape::Boolean(value) => Value::Boolean(value),
            ExtensionShape::Integer(value) => Value::Integer(value),
            ExtensionShape::Text(text) => Value::String(text.into()),
        };
        event = event.with_extension(name, value).unwrap();
    }
    let (media_type, data) = shape.data;
    let data = match data {
        DataShape::None => Data::None,
        DataShape::Json(text) => Data::Json(JsonText::new(text).unwrap()),
        DataShape::Text(text) => Data::Text(text.into()),
        DataShape::Binary(bytes) => Data::Binary(bytes.into()),
    };
    event.with_data(media_type, data).unwrap()
}

pub(crate) fn shape() -> impl Strategy<Value = Shape> {
    let times = [
        "2021-12-10T17:31:00Z",
        "2016-12-31t23:59:60.5z",
        "2021-12-10T18:31:00.1+01:00",
    ];
    (
        text(1..20),
        "[a-z]{1,5}:[a-z0-9.~/-]{1,20}(%20[a-z]{0,3})?",
        option::of(text(1..20)),
        option::of(select(times.to_vec())),
        btree_map("x[a-z0-9]{0,8}", extension(), 0..9),
        data(),
    )
        .prop_map(|(id, source, subject, time, extensions, data)| Shape {
            id,
            source,
            subject,
            time,
            extensions,
            data,
        })
}

fn extension() -> impl Strategy<Value = ExtensionShape> {
    prop_oneof![
        any::<bool>().prop_map(ExtensionShape::Boolean),
        any::<i32>().prop_map(ExtensionShape::Integer),
        text(0..30).prop_map(ExtensionShape::Text),
    ]
}

fn data() -> impl Strategy<Value = (Option<&'static str>, DataShape)> {
    let json_types = vec![
        None,
        Some("application/json"),
        Some("application/ld+json; a=b"),
    ];
    let text_types = vec![
        Some("text/plain"),
        Some("application/soap+xml;charset=UTF-8"),
    ];
    let latin = Some("text/plain; charset=iso-8859-1");
    let byte_types = vec![
        None,
        Some("application/octet-stream"),
        Some("text/plain"),
        latin,
    ];
    let bytes = vec(any::<u8>(), 0..60);
    prop_oneof![
        select(json_types.clone()).prop_map(|media_type| (media_type, DataShape::None)),
        (select(json_types), json()).prop_map(|(ty, text)| (ty, DataShape::Json(text))),
        (select(text_types), any::<String>()).prop_map(|(ty, text)| (ty, DataShape::Text(text))),
        "[ -~\u{a0}-\u{ff}]{0,30}".prop_map(move |text| (latin, DataShape::Text(text))),
        (select(byte_types), bytes).prop_map(|(ty, bytes)| (ty, DataShape::Binary(bytes))),
    ]
}

/// Text that an attribute may hold, rich in what needs encoding.
pub(crate) fn text(length: Range<usize>) -> impl Strategy<Value = String> {
    // White space at the ends is part of an attribute, and survives because it is encoded.
    let character = prop_oneof![
        4 => prop::char::range(' ', '~'),
        1 => select(vec!['%', '"', '\\', ' ', 'é', '€', '😀', '\u{a0}', '\u{10fffd}']),
    ];
    vec(character, length).prop_map(|characters| characters.into_iter().collect())
}

/// A JSON text with odd numbers, escapes, lone surrogates, repeats and white space.
pub(crate) fn json() -> impl Strategy<Value = String> {
    let string = r#""([ !#-\[\]-~é😀]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,20}""#;
    let leaf = prop_oneof![
        select(vec!["null", "true", "false"]).prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?",
        string,
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let space = "(\n? {0,9}|[ \t\r]{0,2})";
        let member =
            (string, space, inner.clone(), space).prop_map(|(name, before, value, after)| {
                format!("{before}{name}:{before}{value}{after}")
            });
        prop_oneof![
            (vec(inner, 0..6), space).prop_map(|(values, space)| {
                format!(
                    "[{space}{}{space}]",
                    values.join(&format!("{space},{space}"))
                )
            }),
            (vec(member, 0..6), space)
                .prop_map(|(members, space)| format!("{{{space}{}}}", members.join(","))),
        ]
    })
}

/// The text of an object that is an event, or nearly one.
pub(crate) fn object() -> impl Strategy<Value = String> {
    let name = select(vec![
        "subject",
        "ext",
        "e\\u0078t",
        "data",
        "sampledrate",
        "My",
        "\\u0069d",
    ]);
    let edges = [
        "\"30\"",
        "\"-0\"",
        "\"0083\"",
        "\"/a b\"",
        "\"/a\"",
        "-0",
        "5.0",
        "2147483648",
        "-2147483648",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\\ue000\"",
        "\"\\ude00\\ud83d\"",
        "\"\\udbff\\udfff\"",
    ];
    let value = prop_oneof![
        3 => json(),
        1 => select(edges.to_vec()).prop_map(str::to_owned),
        1 => text(0..9).prop_map(|text| serde_json::to_string(&text).unwrap()),
        1 => any::<i32>().prop_map(|number| number.to_string()),
    ];
    let members = vec((name, value), 0..5);
    (members, "[ \n]{0,2}").prop_flat_map(|(members, space)| {
        let required = ["specversion:1.0", "id:1", "source:/a", "type:t"];
        let required = required.map(|member| {
            let (name, value) = member.split_once(':').unwrap();
            format!("\"{name}\"{space}:{space}\"{value}\"")
        });
        let others = members
            .into_iter()
            .map(|(name, value)| format!("\"{name}\":{value}"));
        let all: Vec<_> = required.into_iter().chain(others).collect();
        Just(all).prop_shuffle().prop_map(move |all| {
            format!(
                "{{{space}{}{space}}}{space}",
                all.join(&format!("{space},"))
            )
        })
    })
}

/// The text as it is, or with one byte changed, added, taken away, or the end cut off.
pub(crate) fn mutated(text: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => select(b"\"\\{}[],:0-.eE+tfn u\t\x00\x1f\x7f\xc3\xa9\xff".to_vec()),
        1 => any::<u8>(),
    ];
    (text, any::<Index>(), byte, 0..5_u8).prop_map(|(text, index, byte, change)| {
        let mut bytes = text.into_bytes();
        let at = index.index(bytes.len());
        match change {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => {}
        }
        bytes
    })
}

/// A header that may or may not belong to an event.
pub(crate) fn header() -> impl Strategy<Value = (String, Option<Vec<u8>>)> {
    let names = [
        "specversion",
        "id",
        "source",
        "type",
        "Subject",
        "time",
        "ext",
        "data",
        "datacontenttype",
        "",
    ];
    let name = prop_oneof![
        6 => (select(vec!["ce-", "ce_", "CE-"]), select(names.to_vec()))
            .prop_map(|(prefix, name)| format!("{prefix}{name}")),
        2 => select(vec!["content-type", "Content-Type"]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let values = [
        "1.0",
        "a",
        "/a",
        "application/json",
        "application/cloudevents+json",
        "\"%41\\",
        "%",
    ];
    let value = prop_oneof![
        4 => select(values.to_vec()).prop_map(|text| Some(text.as_bytes().to_vec())),
        1 => vec(any::<u8>(), 0..12).prop_map(Some),
        1 => Just(None),
    ];
    (name, value)
}
