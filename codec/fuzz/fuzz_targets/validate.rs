//! Whether bytes are JSON, by the codec and by two other engines.

#![no_main]

#[path = "../../../conformance/tests/exact/properties.rs"]
#[allow(dead_code, reason = "one of four properties is this target's")]
mod properties;

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::validate::check(input));
