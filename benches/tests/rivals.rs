//! What README.md says about how right the rivals are, and that this project's codec is otherwise.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use cloudevents::{AttributesReader, Event};
use cloudevents_nl_codec::{Decoder, JsonText};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use simd_json::prelude::*;
use sonic_rs::LazyValue;

/// An event with these attributes beside the required ones, and this data.
fn event(id: &str, more: &str, data: &str) -> String {
    format!(
        r#"{{"specversion":"1.0","id":"{id}","source":"/a","type":"b",{more}"datacontenttype":"application/json","data":{data}}}"#
    )
}

fn ours(text: &str) -> Result<cloudevents_nl_codec::Event<'_>, cloudevents_nl_codec::DecodeError> {
    Decoder::default().decode_structured(text.as_bytes())
}

#[test]
fn the_sdk_accepts_attributes_that_the_specification_forbids() {
    for (id, more) in [
        ("", ""),
        ("1", r#""my-ext":"x","#),
        ("1", r#""MyExt":"x","#),
    ] {
        let text = event(id, more, "{}");
        assert!(serde_json::from_str::<Event>(&text).is_ok(), "{text}");
        assert!(ours(&text).is_err(), "{text}");
    }
}

#[test]
fn the_sdk_rewrites_time_and_data() {
    let text = event(
        "1",
        r#""time":"2026-03-10T17:31:08+01:00","#,
        r#"{"b":1.50,"a":12345678901234567890123}"#,
    );
    let sdk: Event = serde_json::from_str(&text).unwrap();
    assert_eq!(
        sdk.time().unwrap().to_rfc3339(),
        "2026-03-10T16:31:08+00:00"
    );
    let written = serde_json::to_string(&sdk).unwrap();
    assert!(
        written.contains(r#"{"a":1.2345678901234568e+22,"b":1.5}"#),
        "{written}"
    );

    let event = ours(&text).unwrap();
    assert_eq!(event.time(), Some("2026-03-10T17:31:08+01:00"));
    let mut written = Vec::new();
    cloudevents_nl_codec::encode_structured(&event, &mut written);
    let kept = br#"{"b":1.50,"a":12345678901234567890123}}"#;
    assert!(written.ends_with(kept));
}

fn simd_tape(text: &str) -> Result<(), simd_json::Error> {
    simd_json::to_tape(&mut text.as_bytes().to_vec()).map(|_| ())
}

#[test]
fn simd_json_refuses_numbers_that_are_json() {
    for text in ["[1e400]", "[1234567890123456789012345]"] {
        assert!(simd_tape(text).is_err(), "{text}");
        assert!(JsonText::new(text).is_ok(), "{text}");
    }
}

#[test]
fn simd_json_reads_minus_zero_as_zero() {
    let mut text = b"[-0]".to_vec();
    let value = simd_json::to_borrowed_value(&mut text).unwrap();
    assert_eq!(value.encode(), "[0]");
    assert_eq!(JsonText::new("[-0]").unwrap().as_str(), "[-0]");
}

#[test]
fn sonic_rs_accepts_strings_that_are_not_json() {
    for text in [r#"["\uZZZZ"]"#, r#"["\u",1:2"]"#] {
        assert!(sonic_rs::from_str::<LazyValue<'_>>(text).is_ok(), "{text}");
        assert!(JsonText::new(text).is_err(), "{text}");
    }
}

#[test]
fn serde_json_skips_bytes_that_are_not_utf8() {
    let text = b"[\"\xFF\"]";
    assert!(serde_json::from_slice::<IgnoredAny>(text).is_ok());
    let head = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":"#;
    assert!(
        Decoder::default()
            .decode_structured(&[head, &text[..], b"}"].concat())
            .is_err()
    );
}

#[test]
fn serde_json_rounds_long_integers_unless_they_are_raw() {
    let text = "1234567890123456789012345";
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(value.to_string(), "1.2345678901234568e+24");
    let raw: &RawValue = serde_json::from_str(text).unwrap();
    assert_eq!(raw.get(), text);
}
