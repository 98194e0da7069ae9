//! Texts, bodies and headers: valid, nearly so, and neither.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Text that an attribute may hold, rich in what needs encoding.
pub fn text(length: Range<usize>) -> impl Strategy<Value = String> {
    // White space at the ends is part of an attribute, and survives because it is encoded.
    let character = prop_oneof![
        4 => prop::char::range(' ', '~'),
        1 => select(vec!['%', '"', '\\', ' ', 'é', '€', '😀', '\u{a0}', '\u{10fffd}']),
    ];
    vec(character, length).prop_map(|characters| characters.into_iter().collect())
}

/// A JSON text with odd numbers, escapes, lone surrogates, repeats and white space.
pub fn json() -> impl Strategy<Value = String> {
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
                let values = values.join(&format!("{space},{space}"));
                format!("[{space}{values}{space}]")
            }),
            (vec(member, 0..6), space)
                .prop_map(|(members, space)| format!("{{{space}{}}}", members.join(","))),
        ]
    })
}

/// The text of an object that is an event, or nearly one.
pub fn object() -> impl Strategy<Value = String> {
    let names = r"subject ext e\u0078t data sampledrate My \u0069d".split(' ');
    let name = select(names.collect::<Vec<_>>());
    let edges = r#""30"|"-0"|"0083"|"/a b"|"/a"|-0|5.0|2147483648|-2147483648"#.split('|');
    let surrogates = r#""\ud83d\ude00"|"\ud83d\ue000"|"\ude00\ud83d"|"\udbff\udfff""#.split('|');
    let edges: Vec<_> = edges.chain(surrogates).collect();
    let value = prop_oneof![
        3 => json(),
        1 => select(edges).prop_map(str::to_owned),
        1 => text(0..9).prop_map(|text| serde_json::to_string(&text).expect("text is JSON")),
        1 => any::<i32>().prop_map(|number| number.to_string()),
    ];
    let members = vec((name, value), 0..5);
    (members, "[ \n]{0,2}").prop_flat_map(|(members, space)| {
        let required = ["specversion:1.0", "id:1", "source:/a", "type:t"];
        let required = required.map(|member| {
            let (name, value) = member.split_once(':').expect("a colon stands there");
            format!("\"{name}\"{space}:{space}\"{value}\"")
        });
        let others = members.into_iter();
        let others = others.map(|(name, value)| format!("\"{name}\":{value}"));
        let all: Vec<_> = required.into_iter().chain(others).collect();
        Just(all).prop_shuffle().prop_map(move |all| {
            let all = all.join(&format!("{space},"));
            format!("{{{space}{all}{space}}}{space}")
        })
    })
}

/// The text as it is, or with one byte changed, added, taken away, or the end cut off.
pub fn mutated(text: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
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
pub fn header() -> impl Strategy<Value = (String, Option<Vec<u8>>)> {
    // The last one is empty.
    let names = "specversion id source type Subject time ext data datacontenttype ".split(' ');
    let names: Vec<_> = names.collect();
    let name = prop_oneof![
        6 => (select(vec!["ce-", "ce_", "CE-"]), select(names))
            .prop_map(|(prefix, name)| format!("{prefix}{name}")),
        2 => select(vec!["content-type", "Content-Type"]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let values = r#"1.0 a /a application/json application/cloudevents+json "%41\ %"#.split(' ');
    let values: Vec<_> = values.collect();
    let value = prop_oneof![
        4 => select(values).prop_map(|text| Some(text.as_bytes().to_vec())),
        1 => vec(any::<u8>(), 0..12).prop_map(Some),
        1 => Just(None),
    ];
    (name, value)
}
