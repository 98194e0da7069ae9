//! What must hold for any bytes, stated once: the tests of this crate try it on generated texts, the
//! fuzz targets of the codec (`codec/fuzz`) on whatever finds new paths.
//!
//! Each of the first four modules has a `check`, which panics where its property does not hold. Other
//! crates are the measure. Where one is laxer or stricter than the codec, its module says so, and
//! `exact.rs` asserts each of these differences.

pub(crate) mod decode_binary;
pub(crate) mod decode_structured;
pub(crate) mod translate;
pub(crate) mod validate;

#[allow(dead_code, reason = "tests/grammar.rs has use for the rest")]
pub(crate) mod grammar;
pub(crate) mod input;
pub(crate) mod loss;
pub(crate) mod prediction;
pub(crate) mod reference;
pub(crate) mod tokens;
