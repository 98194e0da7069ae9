//! What a message says, and that it says the same when it is written again.

#![no_main]

#[path = "../../../conformance/tests/exact/properties.rs"]
#[allow(dead_code, reason = "one of four properties is this target's")]
mod properties;

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::decode_binary::check(input));
