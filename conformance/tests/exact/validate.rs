//! Whether bytes are JSON, by the codec and by two other engines; and that every vector path of the codec
//! says what the safe one does, with the same error.
//!
//! Intended differences:
//! - nesting: 127 levels at most, and 126 for data, because the event object is one of them;
//!   serde_json has no limit here, simd-json has 1,024;
//! - simd-json builds values, so it refuses what its values cannot hold: half a surrogate pair, and
//!   numbers beyond 64 bits or beyond a double. RFC 8259 allows both, and the codec hands them on;
//! - `IgnoredAny` of serde_json does not look at UTF-8, so that is checked beside it.

use std::fmt::Debug;

use cloudevents_nl_codec::{
    Data, DecodeError, Decoded, Decoder, Event, Header, JsonError, JsonFault, JsonText, KAFKA,
};
use serde::de::IgnoredAny;

use super::tokens::{depth, numbers, strings};

/// Levels that the codec has.
pub(crate) const DEPTH_MAX: usize = 127;
/// Levels that simd-json has.
const DEPTH_OF_SIMD_JSON: usize = 1024;

/// Holds both ways into the codec's engine against serde_json and simd-json.
pub(crate) fn check(bytes: &[u8]) {
    let shown = String::from_utf8_lossy(bytes);
    let text = str::from_utf8(bytes).ok();
    let is_json = text.is_some() && serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    let depth = if is_json { depth(bytes) } else { 0 };

    if let Some(text) = text {
        match JsonText::new(text) {
            Ok(json) => {
                assert!(is_json && depth <= DEPTH_MAX, "accepted {shown:?}");
                assert_eq!(json.as_str(), text);
            }
            Err(error) => {
                assert!(!is_json || depth > DEPTH_MAX, "{error} for {shown:?}");
                assert_located(error, bytes);
            }
        }
    }

    let data = as_data(bytes).ok();
    assert_eq!(data.is_some(), is_json && depth < DEPTH_MAX, "{shown:?}");
    assert!(data.is_none_or(|data| data == bytes), "{shown:?}");
    assert_paths_agree(bytes);

    let is_simd_json = is_json && depth <= DEPTH_OF_SIMD_JSON && has_only_values(bytes);
    let found = simd_json::to_tape(&mut bytes.to_vec()).is_ok();
    assert_eq!(found, is_simd_json, "simd-json and {shown:?}");
}

/// Asks in three ways.
fn assert_paths_agree(bytes: &[u8]) {
    let events = events(bytes);
    assert_same_on_each_path(bytes, |decoder| {
        events
            .each_ref()
            .map(|event| -> Result<Event<'_>, _> { decoder.decode_structured(event) })
    });
}

/// Asks on each path of this processor about an input; all must give the same as the safe one.
pub(crate) fn assert_same_on_each_path<T: Debug + PartialEq>(
    input: &[u8],
    ask: impl Fn(&Decoder) -> T,
) {
    let paths = Decoder::default().each_path();
    let mut answers: Vec<_> = paths.map(|(name, path)| (name, ask(&path))).collect();
    let (_, safe) = answers.pop().expect("the safe path is always there");
    for (name, answer) in answers {
        let shown = String::from_utf8_lossy(input);
        assert_eq!(answer, safe, "by {name}: {shown:?}");
    }
}

/// Events in which the bytes are the JSON of the data, the end of a text and the end of Base64; before both
/// ends lies what fills a block, because what is shorter takes the safe path.
fn events(bytes: &[u8]) -> [Vec<u8>; 3] {
    let block = "AAAA".repeat(17);
    [
        ("\"data\":".to_owned(), "}"),
        (
            format!("\"datacontenttype\":\"text/plain\",\"data\":\"{block}"),
            "\"}",
        ),
        (format!("\"data_base64\":\"{block}"), "\"}"),
    ]
    .map(|(before, behind)| {
        let head = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","#;
        [head, before.as_bytes(), bytes, behind.as_bytes()].concat()
    })
}

/// A fault lies where a byte is, or behind the last.
fn assert_located(error: JsonError, bytes: &[u8]) {
    match (error.fault, bytes.get(error.at)) {
        (JsonFault::UnexpectedEnd, None) => assert_eq!(error.at, bytes.len()),
        (JsonFault::TooDeep, Some(byte)) => assert!(matches!(byte, b'[' | b'{'), "{error}"),
        (JsonFault::Escape, Some(byte)) => assert_eq!(*byte, b'\\', "{error}"),
        (JsonFault::ControlCharacter, Some(byte)) => assert!(*byte < b' ', "{error}"),
        (JsonFault::UnexpectedEnd, Some(_)) | (_, None) => panic!("{error}"),
        (_, Some(_)) => {}
    }
}

/// What the codec makes of a message with this body under a JSON type.
fn as_data(bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let headers = [
        ("ce_specversion", "1.0"),
        ("ce_id", "1"),
        ("ce_source", "/a"),
        ("ce_type", "b"),
        ("content-type", "text/json"),
    ];
    let headers = headers.map(Header::from);
    match Decoder::default().decode_any(&KAFKA, headers, Some(bytes)) {
        Ok(Decoded::Binary(event)) => match event.data() {
            Data::Json(json) => Ok(json.as_str().as_bytes().to_vec()),
            other => panic!("{other:?} under a JSON type"),
        },
        Ok(other) => panic!("{other:?} of a message in binary mode"),
        Err(error) => Err(error),
    }
}

/// Whether all strings and numbers of a JSON text have a value in Rust.
fn has_only_values(json: &[u8]) -> bool {
    let has_value = |number: &String| {
        if number.contains(['.', 'e', 'E']) {
            number.parse::<f64>().is_ok_and(f64::is_finite)
        } else {
            number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok()
        }
    };
    numbers(json).iter().all(has_value)
        && strings(json).all(|string| serde_json::from_slice::<String>(string).is_ok())
}
