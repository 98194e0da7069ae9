//! As [`super::avx2`], with registers of 64 bytes: a comparison is a mask already.

use std::arch::x86_64::{
    __m512i, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_loadu_si512, _mm512_or_si512,
    _mm512_set1_epi8, _mm512_sub_epi8, _mm512_test_epi8_mask,
};

use super::avx2::parity;
use super::grammar::Masks;
use crate::lanes::BLOCK;

// Each feature in this list must be asked for in `InstructionSet::detect`.
super::nesting::define_skip_container!("avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,pclmulqdq,popcnt");

/// What the bytes of a block are.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn masks(block: &[u8; BLOCK]) -> Masks {
    // SAFETY: the block has the 64 bytes that are read, and no alignment is asked for.
    let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let controls = at_most(bytes, 0x1F);
    let mut spaces = equal(bytes, b' ');
    if controls != 0 {
        spaces |= equal(bytes, b'\n') | equal(bytes, b'\r') | equal(bytes, b'\t');
    }
    // Square and curly brackets differ in bit 5 alone.
    let folded = _mm512_or_si512(bytes, all(0x20));
    Masks {
        quotes: equal(bytes, b'"'),
        backslashes: equal(bytes, b'\\'),
        controls,
        spaces,
        commas: equal(bytes, b','),
        colons: equal(bytes, b':'),
        opening: equal(folded, b'{'),
        closing: equal(folded, b'}'),
        curly: _mm512_test_epi8_mask(bytes, all(0x20)),
        digits: at_most(_mm512_sub_epi8(bytes, all(b'0')), 9),
        zeros: equal(bytes, b'0'),
        minuses: equal(bytes, b'-'),
        points: equal(bytes, b'.'),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn all(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte as i8)
}

/// The bytes that are `byte`.
#[target_feature(enable = "avx512bw")]
#[inline]
fn equal(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, all(byte))
}

/// The bytes up to `highest`.
#[target_feature(enable = "avx512bw")]
#[inline]
fn at_most(bytes: __m512i, highest: u8) -> u64 {
    _mm512_cmple_epu8_mask(bytes, all(highest))
}

/// As the function of [`super::verbatim`].
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn not_verbatim(block: &[u8; BLOCK]) -> u64 {
    // SAFETY: the block has the 64 bytes that are read, and no alignment is asked for.
    let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let printable = at_most(_mm512_sub_epi8(bytes, all(b' ')), b'~' - b' ');
    equal(bytes, b'"') | equal(bytes, b'\\') | !printable
}
