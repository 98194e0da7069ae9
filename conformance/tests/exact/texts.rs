//! Texts and messages that lie where readers go wrong.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use cloudevents_nl_conformance::generate::{json, object};

/// A JSON text inside so many arrays that it reaches the limit of nesting, or nearly.
pub(crate) fn deep() -> impl Strategy<Value = String> {
    (json(), 120..130_usize, "\"data\":|").prop_map(|(text, levels, name)| {
        let (open, close) = match &*name {
            "" => ("[".to_owned(), "]"),
            name => (format!("{{{name}"), "}"),
        };
        open.repeat(levels) + &text + &close.repeat(levels)
    })
}

/// Tokens of JSON in any order: hardly ever a value, but wrong in more ways than a changed one.
pub(crate) fn token_soup() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        6 => select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"\"", "1", "-", "0", ".5", "e9", "1e400",
            "true", "false", "null", "nul", " ", "\n", "\\", "\\u00", "\"\\ud83d\"", "\u{feff}", "é",
        ]),
        2 => select(vec![
            "\"specversion\":\"1.0\"", "\"id\":\"1\"", "\"source\":\"/a\"", "\"type\":\"t\"",
            "\"data\":", "\"data_base64\":", "\"datacontenttype\":\"text/xml\"", "\"time\":",
        ]),
    ];
    vec(token, 0..24).prop_map(|tokens| tokens.concat().into_bytes())
}

/// A message as `input::message` reads it.
pub(crate) fn message() -> impl Strategy<Value = String> {
    let values = [
        "1.0",
        "a",
        "/a",
        " /a%20b ",
        "100%",
        "%C3%A9",
        "%c3",
        "\"a\\\"b\"",
        "é",
        "5",
        "-0",
        "true",
        "TWE=",
        "2021-12-10T17:31:00Z",
        "application/json",
        "text/plain; charset=iso-8859-1",
        "a/b",
        "",
    ];
    let names = [
        "subject",
        "time",
        "ext",
        "Ext",
        "sampledrate",
        "dataref",
        "datacontenttype",
        "dataschema",
        "id",
    ];
    let content_types = [
        "application/json",
        " Application/JSON\t",
        "text/plain",
        "Text/XML; charset=latin1",
        "a/b",
        "a",
        "application/cloudevents+json",
        " Application/CloudEvents+JSON; a=b",
        "application/cloudevents+avro",
        "APPLICATION/CloudEvents-Batch+json",
    ];
    let others = vec((select(names.to_vec()), select(values.to_vec())), 0..4);
    let content_type = option::of(select(content_types.to_vec()));
    let body = option::of(prop_oneof![json(), any::<String>(), object()]);
    let parts = (select(vec!["k", "n", "h"]), others, content_type, body);
    parts.prop_map(|(protocol, others, content_type, body)| {
        let prefix = if protocol == "k" { "ce_" } else { "ce-" };
        let required = [
            ("specversion", "1.0"),
            ("id", "1"),
            ("source", "/a"),
            ("type", "t"),
        ];
        let mut text = protocol.to_owned();
        for (name, value) in required.into_iter().chain(others) {
            text += &format!("{prefix}{name}:{value}\n");
        }
        if let Some(content_type) = content_type {
            text += &format!("content-type:{content_type}\n");
        }
        body.map_or_else(|| text.clone(), |body| format!("{text}\n{body}"))
    })
}
