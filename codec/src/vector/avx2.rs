//! What AVX2 and its companions do: bytes to masks, and the two operations on masks that are instructions.
//!
//! What is unsafe here are the loads and a barrier; what masks mean is said in safe code, in the modules
//! beside.

use std::arch::asm;
use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_set1_epi8,
    _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_slli_epi16, _mm256_sub_epi8,
};

use super::grammar::Masks;
use crate::lanes::BLOCK;

// Each feature in this list must be asked for in `InstructionSet::detect`.
super::nesting::define_skip_container!("avx2,bmi1,bmi2,lzcnt,pclmulqdq,popcnt");

/// An optimisation barrier: without it the compiler takes a mask apart again, bit by bit.
#[inline(always)]
fn barrier(mut mask: u64) -> u64 {
    // SAFETY: no instruction at all.
    unsafe {
        asm!("/* {0} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}

/// The bytes of a block, half by half.
///
/// No closures here: they would be compiled without the instruction set.
#[derive(Clone, Copy)]
pub(super) struct Bytes(pub(super) __m256i, pub(super) __m256i);

impl Bytes {
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn of(block: &[u8; BLOCK]) -> Self {
        let (low, high) = block.split_at(BLOCK / 2);
        // SAFETY: both halves have the 32 bytes that are read, and no alignment is asked for.
        unsafe {
            Self(
                _mm256_loadu_si256(low.as_ptr().cast()),
                _mm256_loadu_si256(high.as_ptr().cast()),
            )
        }
    }

    /// The bytes that are `byte`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn equal(self, byte: u8) -> u64 {
        let byte = _mm256_set1_epi8(byte as i8);
        Self(
            _mm256_cmpeq_epi8(self.0, byte),
            _mm256_cmpeq_epi8(self.1, byte),
        )
        .high_bits()
    }

    /// The bytes up to `highest`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn at_most(self, highest: u8) -> u64 {
        let highest = _mm256_set1_epi8(highest as i8);
        Self(
            _mm256_cmpeq_epi8(_mm256_min_epu8(self.0, highest), self.0),
            _mm256_cmpeq_epi8(_mm256_min_epu8(self.1, highest), self.1),
        )
        .high_bits()
    }

    /// With these bits set in each byte.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn with_bits(self, bit: u8) -> Self {
        let bit = _mm256_set1_epi8(bit as i8);
        Self(_mm256_or_si256(self.0, bit), _mm256_or_si256(self.1, bit))
    }

    /// Each byte less `byte`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn wrapping_sub(self, byte: u8) -> Self {
        let byte = _mm256_set1_epi8(byte as i8);
        Self(_mm256_sub_epi8(self.0, byte), _mm256_sub_epi8(self.1, byte))
    }

    /// The bytes in which bit 5 is set.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn bit_5(self) -> u64 {
        Self(
            _mm256_slli_epi16::<2>(self.0),
            _mm256_slli_epi16::<2>(self.1),
        )
        .high_bits()
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn high_bits(self) -> u64 {
        let low = _mm256_movemask_epi8(self.0) as u32;
        let high = _mm256_movemask_epi8(self.1) as u32;
        barrier(u64::from(low) | u64::from(high) << 32)
    }
}

/// What the bytes of a block are.
#[target_feature(enable = "avx2")]
#[inline]
fn masks(block: &[u8; BLOCK]) -> Masks {
    let bytes = Bytes::of(block);
    let controls = bytes.at_most(0x1F);
    let mut spaces = bytes.equal(b' ');
    if controls != 0 {
        spaces |= bytes.equal(b'\n') | bytes.equal(b'\r') | bytes.equal(b'\t');
    }
    // Square and curly brackets differ in bit 5 alone.
    let folded = bytes.with_bits(0x20);
    Masks {
        quotes: bytes.equal(b'"'),
        backslashes: bytes.equal(b'\\'),
        controls,
        spaces,
        commas: bytes.equal(b','),
        colons: bytes.equal(b':'),
        opening: folded.equal(b'{'),
        closing: folded.equal(b'}'),
        curly: bytes.bit_5(),
        digits: bytes.wrapping_sub(b'0').at_most(9),
        zeros: bytes.equal(b'0'),
        minuses: bytes.equal(b'-'),
        points: bytes.equal(b'.'),
    }
}

/// For every bit, whether the number of bits set up to it is odd.
#[target_feature(enable = "pclmulqdq")]
#[inline]
pub(super) fn parity(mask: u64) -> u64 {
    let product = _mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, mask as i64), _mm_set1_epi8(-1));
    _mm_cvtsi128_si64(product) as u64
}

/// As the function of [`super::verbatim`].
#[target_feature(enable = "avx2")]
pub(super) fn not_verbatim(block: &[u8; BLOCK]) -> u64 {
    let bytes = Bytes::of(block);
    let printable = bytes.wrapping_sub(b' ').at_most(b'~' - b' ');
    bytes.equal(b'"') | bytes.equal(b'\\') | !printable
}
