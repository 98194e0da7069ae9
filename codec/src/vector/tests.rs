//! The loops over blocks of text, each that this processor has, against the code without them.

use std::io::Write;

use proptest::prelude::*;

use crate::error::json::{JsonError, JsonFault};
use crate::json::scan::{long_string_end, string_end};
use crate::vector::unescape::unescape;
use crate::vector::{VectorLoops, decode_base64};

/// What is held against nothing is told, past the capture of what tests print.
#[test]
fn what_this_processor_lacks_is_named() {
    let mut names: Vec<_> = VectorLoops::each().map(|(name, _)| name).collect();
    assert_eq!(names.pop(), Some("safe"));
    for name in ["AVX2", "AVX-512 with VBMI"] {
        if !names.contains(&name) {
            let line = format!("vector code NOT TESTED, because not there: {name}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
        }
    }
}

/// A string ends where `string_end` says, which looks at it sixteen bytes at a time, with the same error.
#[track_caller]
fn check_end(text: &[u8]) {
    for (_, loops) in VectorLoops::each() {
        let shown = text.escape_ascii().to_string();
        assert_eq!(
            long_string_end(loops, text, 0),
            string_end(text, 0),
            "{loops:?}: {shown}"
        );
    }
}

#[track_caller]
fn check_unescaped(inside: &str, expected: Result<&str, JsonError>) {
    for (_, loops) in VectorLoops::each() {
        assert_eq!(
            unescape(loops, inside).as_deref(),
            expected.as_ref().copied(),
            "{loops:?}: {inside}"
        );
    }
}

/// Pieces of the insides of strings, and what they mean.
const PIECES: [(&str, &str); 7] = [
    (r"\n", "\n"),
    (r"\\", r"\"),
    (r#"\"\/\b\f\r\t"#, "\"/\u{8}\u{c}\r\t"),
    (r"\u00e9", "é"),
    (r"\ud83d\uDE00", "😀"),
    (r"\\\\\\u", r"\\\u"),
    ("é", "é"),
];

#[test]
fn escapes_mean_the_same_wherever_they_lie_in_a_block() {
    for before in 0..130 {
        for (first, meaning) in PIECES {
            for (second, second_meaning) in PIECES {
                let (before, after) = ("x".repeat(before), "é".repeat(70));
                let text = format!("{before}{first}{second}{after}{first}");
                let expected = format!("{before}{meaning}{second_meaning}{after}{meaning}");
                check_unescaped(&text, Ok(&expected));
                check_end(format!("{text}\"{second}").as_bytes());
                check_end(text.as_bytes());
            }
        }
        let lone = format!("{}\\ud83d{}", "x".repeat(before), "y".repeat(130));
        let expected = JsonError::new(JsonFault::LoneSurrogate, before);
        check_unescaped(&lone, Err(expected));
    }
}

/// Every byte as it is and after a backslash, at places around the edges of a block.
#[test]
fn every_byte_counts_the_same_wherever_it_lies() {
    for at in [0, 1, 7, 31, 32, 61, 62, 63, 64, 65, 127] {
        for byte in 0..=u8::MAX {
            let mut text = vec![b'x'; 200];
            text[at] = byte;
            text[199] = b'"';
            check_end(&text);
            text[at] = b'\\';
            text[at + 1] = byte;
            check_end(&text);
            if let (Ok(199), Ok(inside)) = (string_end(&text, 0), str::from_utf8(&text[..199])) {
                let expected = unescape(None, inside);
                check_unescaped(inside, expected.as_deref().map_err(|error| *error));
            }
        }
    }
}

#[test]
fn every_byte_of_base64_counts_the_same_wherever_it_lies() {
    for at in [0, 1, 3, 62, 63, 64, 66, 127, 130] {
        for byte in 0..=u8::MAX {
            let mut text = vec![b'A'; 200];
            text[at] = byte;
            let expected = base64_simd::STANDARD.decode_to_vec(&text).ok();
            for (_, loops) in VectorLoops::each() {
                assert_eq!(
                    decode_base64(loops, &text),
                    expected,
                    "{loops:?}: {byte} at {at}"
                );
            }
        }
    }
}

/// The insides of strings, long enough for a few blocks.
fn inside() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        r"\n",
        r"\\",
        r#"\""#,
        r"\/",
        r"\b\f\r\t",
        r"\u00e9",
        r"\ud83d\ude00",
        r"\ud83d",
        "a",
        "é",
        "😀",
        "plain text",
        "some more text, which fills most of a block of sixty-four bytes",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn strings_end_and_mean_what_others_say(inside in inside(), after in "[a\"\\\\]{0,80}") {
        let text = format!("{inside}\"{after}");
        prop_assert_eq!(string_end(text.as_bytes(), 0), Ok(inside.len()));
        check_end(text.as_bytes());
        let expected: Option<String> = serde_json::from_str(&format!("\"{inside}\"")).ok();
        let plain = unescape(None, &inside);
        prop_assert_eq!(plain.as_deref().ok(), expected.as_deref());
        check_unescaped(&inside, plain.as_deref().map_err(|error| *error));
    }

    #[test]
    fn changed_strings_end_where_others_say(
        inside in inside(),
        at: prop::sample::Index,
        byte: u8,
    ) {
        let mut text = format!("{inside}\"").into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        check_end(&text);
    }

    #[test]
    fn base64_is_what_another_reader_says(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        change in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let mut text = base64_simd::STANDARD.encode_to_string(&bytes).into_bytes();
        if let (Some((at, byte)), false) = (change, text.is_empty()) {
            let at = at.index(text.len());
            text[at] = byte;
        }
        let expected = base64_simd::STANDARD.decode_to_vec(&text).ok();
        for (_, loops) in VectorLoops::each() {
            prop_assert_eq!(decode_base64(loops, &text), expected.clone(), "{:?}", loops);
        }
    }
}
