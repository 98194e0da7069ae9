//! The example does what it says.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "../examples/translate.rs"]
#[allow(dead_code, reason = "its main reads standard input")]
mod translate;

use translate::translate;

#[test]
fn translates_structured_json_to_kafka_headers() {
    let text =
        r#"{"specversion":"1.0","id":"1","source":"/a","type":"b","ext":5,"data":{"n":1.50}}"#;
    let expected = "ce_specversion: 1.0\nce_id: 1\nce_source: /a\nce_type: b\n\
                    content-type: application/json\nce_ext: 5\n\n{\"n\":1.50}";
    let mut out = Vec::new();
    translate(text.as_bytes(), &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert!(translate("{}".as_bytes(), Vec::new()).is_err());
}
