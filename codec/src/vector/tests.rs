//! The vector paths against the safe one: what they accept, it accepts, with the same end; and they accept
//! what is worth accepting.

mod text;

use proptest::prelude::*;

use super::instruction_set::InstructionSet;
use super::{avx2, avx512};
use crate::json::value::skip;

const DEPTH: usize = 126;

/// What each path that this processor has says.
fn paths(bytes: &[u8], at: usize, max: usize) -> Vec<(&'static str, Option<usize>)> {
    let mut paths = Vec::new();
    if InstructionSet::current() >= InstructionSet::Avx2 {
        // SAFETY: the processor has what the function is compiled for.
        paths.push(("avx2", unsafe { avx2::skip_container(bytes, at, max) }));
        if InstructionSet::current() >= InstructionSet::Avx512 {
            // SAFETY: likewise.
            paths.push(("avx512", unsafe { avx512::skip_container(bytes, at, max) }));
        }
    }
    paths
}

/// Nothing is accepted that the safe path refuses, and no end differs.
#[track_caller]
fn check_sound(bytes: &[u8], at: usize) {
    let safe = skip(bytes, at, DEPTH).ok();
    for (path, end) in paths(bytes, at, DEPTH) {
        assert!(
            end.is_none() || end == safe,
            "{path} says {end:?}, not {safe:?}: {:?}",
            bytes.escape_ascii().to_string()
        );
    }
}

/// As [`check_sound`], and what the safe path accepts is accepted.
#[track_caller]
fn check_same(bytes: &[u8], at: usize) {
    let safe = skip(bytes, at, DEPTH).ok();
    for (path, end) in paths(bytes, at, DEPTH) {
        assert_eq!(end, safe, "{path}: {:?}", bytes.escape_ascii().to_string());
    }
}

const VALID: [&str; 12] = [
    "{}",
    "[]",
    "[ ]",
    r#"{"a":{},"b":[],"c":[{}],"d":{"e":[[]]}}"#,
    r#"[1,-1,0,-0,10,0.5,-0.25,12.75,1e5,1E+5,1.5e-10,-0e0,true,false,null]"#,
    r#"["a","a\"b","\\","\\\"","\/\b\f\n\r\t","\u00e9\uD83D","é😀","{[,:]}"]"#,
    "{\n  \"a\" : [ 1 , 2 ] ,\r\n\t\"b\" : { \"c\" : null }\n}",
    r#"[[[[["a"]]]],{"a":{"a":{"a":"a"}}},"a",1]"#,
    r#"{"a":"b","c":true,"d":[false,null],"e":-12.5}"#,
    r#"["truee","1.2.3","\\"]"#,
    r#"[123456789012345678901234567890,0.123456789012345678901234567890]"#,
    r#"[12345678901234567890123456789012345678901234567890123456789012345678901234567890e10,1]"#,
];

/// Where a block begins must make no difference: every document lies at every offset to it, after
/// spaces inside its first bracket.
#[test]
fn accepts_documents_at_every_offset() {
    for text in VALID {
        let (first, rest) = text.split_at(1);
        for spaces in 0..130 {
            let text = format!("{first}{}{rest},\"time\":[1]}} ", " ".repeat(spaces));
            check_same(text.as_bytes(), 0);
            check_same(format!("xyz{text}").as_bytes(), 3);
        }
    }
}

/// Every byte of every document, at every offset, replaced by every byte that means something.
#[test]
fn accepts_nothing_that_is_wrong_in_one_byte() {
    let bytes = b"\"\\{}[]:,-+.0159eEtrufalsn \n\x01\x7fx";
    for text in VALID {
        for spaces in [0, 20, 40, 55, 60, 61, 62, 63] {
            let (first, rest) = text.split_at(1);
            let text = format!("{first}{}{rest}", " ".repeat(spaces));
            for at in 1..text.len() {
                for byte in bytes {
                    let mut changed = text.clone().into_bytes();
                    changed[at] = *byte;
                    check_sound(&changed, 0);
                }
                let mut shorter = text.clone().into_bytes();
                shorter.remove(at);
                check_sound(&shorter, 0);
                check_sound(&text.as_bytes()[..at], 0);
            }
        }
    }
}

#[test]
fn leaves_what_is_too_deep_to_the_safe_path() {
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in 1..70 {
            let inner = if opening == "[" { "[]" } else { "{}" };
            let text = format!(
                "{}{inner}{}",
                opening.repeat(depth - 1),
                closing.repeat(depth - 1)
            );
            for max in [0, 1, depth - 1, depth, 126] {
                let safe = skip(text.as_bytes(), 0, max).ok();
                for (path, end) in paths(text.as_bytes(), 0, max) {
                    assert_eq!(end, safe.filter(|_| depth <= 62), "{path} {depth} {max}");
                }
            }
        }
    }
}

/// A value of JSON, compact or with white space.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?",
        "\"([ !#-\\[\\]-~é😀]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4}){0,30}\"",
    ];
    leaf.prop_recursive(6, 80, 8, |inner| {
        let space = "[ \n]{0,3}";
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..8), space).prop_map(|(items, space)| {
                format!(
                    "[{space}{}{space}]",
                    items.join(&format!("{space},{space}"))
                )
            }),
            (prop::collection::vec(("[a-zé]{0,20}", inner), 0..8), space).prop_map(
                |(members, space)| {
                    let members: Vec<_> = members
                        .iter()
                        .map(|(name, value)| format!("\"{name}\"{space}:{space}{value}"))
                        .collect();
                    format!(
                        "{{{space}{}{space}}}",
                        members.join(&format!("{space},{space}"))
                    )
                }
            ),
        ]
    })
}

/// Pieces that make a document now and then, and mostly almost.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\":",
        "\"a\"",
        "\"",
        "\\",
        "1",
        "0",
        "-",
        ".",
        "e",
        "+",
        "true",
        "false",
        "null",
        "tru",
        " ",
        "\n",
        "1.5",
        "\\\"",
        "\\u00e9",
        "é",
        "                              ",
    ]);
    prop::collection::vec(piece, 0..90).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn documents_are_accepted_with_the_same_end(value in value(), after in "[ ,}\\]\"a:1]{0,80}") {
        let text = format!("[{value}]{after}");
        check_same(text.as_bytes(), 0);
        let text = format!("{{\"data\":{value}}}{after}");
        check_same(text.as_bytes(), 0);
    }

    #[test]
    fn soup_is_accepted_only_where_the_safe_path_does(soup in soup(), is_object: bool) {
        let text = format!("{}{soup}", if is_object { "{" } else { "[" });
        check_sound(text.as_bytes(), 0);
    }

    #[test]
    fn mutated_documents_are_accepted_only_where_the_safe_path_does(
        value in value(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut text = format!("[{value}, \"end\"]").into_bytes();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        text[0] = b'[';
        check_sound(&text, 0);
    }
}
