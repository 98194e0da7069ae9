//! The codec against other readings of the same standards, on generated texts and on every vector.
//!
//! The properties themselves are in `exact/`, which the fuzz targets share.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "properties/generate.rs"]
#[allow(dead_code, reason = "shared with properties.rs")]
mod generate;
#[path = "exact/properties.rs"]
mod properties;
#[path = "exact/seeds.rs"]
mod seeds;

use std::path::Path;

use generate::mutated;
use properties::input::Hop;
use properties::{decode_binary, decode_structured, translate, validate};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

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
    fn token_soup_is_json_where_others_say_so(text in generate::token_soup()) {
        validate::check(&text);
        decode_structured::check(&text);
    }

    #[test]
    fn events_are_what_a_reader_of_other_crates_finds(text in mutated(generate::object())) {
        decode_structured::check(&text);
    }

    #[test]
    fn messages_say_what_their_headers_spell(input in mutated(generate::message())) {
        decode_binary::check(&input);
    }

    #[test]
    fn an_event_survives_any_chain_of_hops(
        shape in generate::shape(),
        hops in prop::collection::vec(hop(), 0..8),
    ) {
        translate::travel(&generate::event(&shape), &hops);
    }

    #[test]
    fn what_was_read_survives_any_chain_of_hops(
        text in mutated(generate::object()),
        hops in "[knhKNH]{0,8}",
    ) {
        translate::check(&[hops.as_bytes(), b"\n", &text].concat());
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
    use cloudevents_nl_codec::{ContentMode, HTTP, KAFKA, NATS};
    let modes = [ContentMode::Structured, ContentMode::Binary];
    (
        prop::sample::select(vec![&KAFKA, &NATS, &HTTP]),
        prop::sample::select(modes.to_vec()),
    )
}
