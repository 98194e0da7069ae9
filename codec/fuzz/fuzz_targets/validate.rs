//! Whether bytes are JSON, by the codec and by two other engines.

#![no_main]

#[path = "../../../conformance/tests/properties/exact/validate.rs"]
mod validate;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| validate::check(bytes));
