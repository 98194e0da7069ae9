//! An event on a chain of hops over protocols and modes.

#![no_main]

#[path = "../../../conformance/tests/exact/properties.rs"]
#[allow(dead_code, reason = "one of four properties is this target's")]
mod properties;

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::translate::check(input));
