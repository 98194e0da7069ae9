//! The codec against other readings of the same standards, on generated texts and on every vector.
//!
//! The properties themselves are in `exact/`, which the fuzz targets share.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "exact/properties.rs"]
mod properties;
#[path = "exact/seeds.rs"]
mod seeds;
#[path = "exact/texts.rs"]
mod texts;

use std::path::Path;

use cloudevents_nl_codec::{ContentMode, Decoder, HTTP, JsonText, KAFKA, NATS};
use cloudevents_nl_conformance::generate::{self, mutated};
use properties::input::Hop;
use properties::{decode_binary, decode_structured, translate, validate};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The same cases on every run; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` ask for more.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(8259);
    }
    config.cases = config.cases.max(1000);
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn json_is_what_two_other_engines_take_for_it(text in mutated(generate::json())) {
        validate::check(&text);
    }

    #[test]
    fn nesting_ends_where_the_limit_is(text in mutated(texts::deep())) {
        validate::check(&text);
        let event = format!(
            r#"{{"specversion":"1.0","id":"1","source":"/a","type":"t","data":{}}}"#,
            String::from_utf8_lossy(&text),
        );
        decode_structured::check(event.as_bytes());
    }

    #[test]
    fn token_soup_is_json_where_others_say_so(text in texts::token_soup()) {
        validate::check(&text);
        decode_structured::check(&text);
    }

    #[test]
    fn events_are_what_a_reader_of_other_crates_finds(text in mutated(generate::object())) {
        decode_structured::check(&text);
    }

    #[test]
    fn messages_say_what_their_headers_spell(input in mutated(texts::message())) {
        decode_binary::check(&input);
    }

    #[test]
    fn an_event_survives_any_chain_of_hops(
        shape in generate::shape(),
        hops in prop::collection::vec(hop(), 0..8),
    ) {
        translate::travel(&shape.event(), &hops);
    }

    #[test]
    fn what_was_read_survives_any_chain_of_hops(
        text in mutated(generate::object()),
        hops in "[knhKNH]{0,8}",
    ) {
        translate::check(&[hops.as_bytes(), b"\n", &text].concat());
    }
}

/// What the heads of `exact/validate.rs` and `exact/decode_structured.rs` claim, case by case.
#[test]
fn engines_differ_from_the_codec_where_that_is_intended() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let (deep, deeper, deepest) = (deep(127), deep(128), deep(1025));
    for (text, ours, in_serde_json, in_simd_json) in [
        (&*deep, true, true, true),
        (&deeper, false, true, true),
        (&deepest, false, true, false),
        (r#""\ud83d""#, true, true, false),
        ("1e400", true, true, false),
        ("12345678901234567890123", true, true, false),
        ("-9223372036854775809", true, true, false),
        ("\u{feff}1", false, false, false),
    ] {
        validate::check(text.as_bytes());
        assert_eq!(JsonText::new(text).is_ok(), ours, "{text}");
        let theirs = serde_json::from_str::<&RawValue>(text).is_ok();
        assert_eq!(theirs, in_serde_json, "serde_json, {text}");
        let theirs = simd_json::to_tape(&mut text.as_bytes().to_vec()).is_ok();
        assert_eq!(theirs, in_simd_json, "simd-json, {text}");
    }
    let no_text = b"[\"\xff\"]";
    assert!(serde_json::from_slice::<IgnoredAny>(no_text).is_ok());
    assert!(serde_json::from_slice::<&RawValue>(no_text).is_err());

    for member in [
        r#""id":"2""#,
        r#""\u0069d":"2""#,
        r#""time":null,"time":null"#,
        r#""Name":1"#,
        r#""name":1.5"#,
        r#""name":{}"#,
        r#""subject":"\u0000""#,
        r#""data":1,"data_base64":"""#,
    ] {
        let text = format!(r#"{{{member},"specversion":"1.0","id":"1","source":"/a","type":"t"}}"#);
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{text}"
        );
        assert!(
            Decoder::default()
                .decode_structured(text.as_bytes())
                .is_err(),
            "{text}"
        );
        decode_structured::check(text.as_bytes());
    }
}

/// 8,192 bytes, which the fuzzer has, are enough for more headers than a message may have.
#[test]
fn a_message_of_too_many_headers_is_refused() {
    for others in [1020, 1021] {
        let core = "kce_specversion:1.0\nce_id:1\nce_source:/a\nce_type:b\n";
        decode_binary::check(format!("{core}{}", "a\n".repeat(others)).as_bytes());
    }
}

#[test]
fn escaped_characters_are_whole_pairs_and_nothing_else() {
    let units = [
        "0041", "d7ff", "d800", "dbff", "dc00", "dfff", "e000", "e3ff", "ffff",
    ];
    for first in units {
        for second in units {
            let escapes = format!("\\u{first}\\u{second}");
            let event = format!(
                r#"{{"specversion":"1.0","id":"1","source":"/a","type":"t","x":"{escapes}"}}"#
            );
            decode_structured::check(event.as_bytes());
            validate::check(format!("\"{escapes}\"").as_bytes());
        }
    }
}

#[test]
fn every_vector_has_the_properties() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let seeds = seeds::seeds(&vectors);
    assert_eq!(seeds.len(), 4);
    for (target, inputs) in seeds {
        let check = match target {
            "decode_binary" => decode_binary::check,
            "decode_structured" => decode_structured::check,
            "translate" => translate::check,
            "validate" => validate::check,
            other => panic!("no property is named {other}"),
        };
        assert!(inputs.len() > 70, "{target}");
        inputs.values().for_each(|input| check(input));
    }
}

fn hop() -> impl Strategy<Value = Hop> {
    let modes = [ContentMode::Structured, ContentMode::Binary];
    (
        prop::sample::select(vec![&KAFKA, &NATS, &HTTP]),
        prop::sample::select(modes.to_vec()),
    )
}
