//! Whether a text is an event, and what is in it, by the codec and by a reader of other crates.

#![no_main]

#[path = "../../../conformance/tests/exact/properties.rs"]
#[allow(dead_code, reason = "one of four properties is this target's")]
mod properties;

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::decode_structured::check(input));
