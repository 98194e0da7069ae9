//! Text and its escapes by AVX2: bytes looked up in tables of sixteen, and eight brought together at once.
//!
//! What is unsafe here are the loads and a barrier.

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_shuffle_epi8, _mm_unpackhi_epi64,
    _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
    _mm256_set_epi64x, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_srli_epi16,
};

use super::escapes::{define_text_loops, escape_starts};
use crate::lanes::{BLOCK, WIDTH};
use crate::vector::unescape::UNESCAPED;

// Each feature in this list, and in those below, must be asked for in `has_avx2`.
define_text_loops!("avx2,bmi1,lzcnt,popcnt");

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
struct Bytes(__m256i, __m256i);

#[target_feature(enable = "avx2")]
#[inline]
fn load(block: &[u8; BLOCK]) -> Bytes {
    let (low, high) = block.split_at(BLOCK / 2);
    // SAFETY: both halves have the 32 bytes that are read, and no alignment is asked for.
    unsafe {
        Bytes(
            _mm256_loadu_si256(low.as_ptr().cast()),
            _mm256_loadu_si256(high.as_ptr().cast()),
        )
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn equal(text: Bytes, byte: u8) -> u64 {
    let byte = _mm256_set1_epi8(byte as i8);
    high_bits(Bytes(
        _mm256_cmpeq_epi8(text.0, byte),
        _mm256_cmpeq_epi8(text.1, byte),
    ))
}

/// The bytes up to U+001F.
#[target_feature(enable = "avx2")]
#[inline]
fn controls(text: Bytes) -> u64 {
    let highest = _mm256_set1_epi8(0x1F);
    high_bits(Bytes(
        _mm256_cmpeq_epi8(_mm256_min_epu8(text.0, highest), text.0),
        _mm256_cmpeq_epi8(_mm256_min_epu8(text.1, highest), text.1),
    ))
}

#[target_feature(enable = "avx2")]
#[inline]
fn high_bits(bytes: Bytes) -> u64 {
    let low = _mm256_movemask_epi8(bytes.0) as u32;
    let high = _mm256_movemask_epi8(bytes.1) as u32;
    barrier(u64::from(low) | u64::from(high) << 32)
}

/// Writes a block with its escapes undone, which begin at `starts`; what follows that is garbage.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn write_unescaped(text: Bytes, starts: u64, room: &mut [u8; BLOCK]) {
    let (escaped, kept) = (starts << 1, !starts);
    let low = unescaped(text.0, escaped as u32);
    let high = unescaped(text.1, (escaped >> 32) as u32);
    let mut end = 0;
    write_half(low, kept as u32, room, &mut end);
    write_half(high, (kept >> 32) as u32, room, &mut end);
}

/// By the low nibble of the bytes that [`UNESCAPED`] has, one bit for each high nibble among them.
const HIGH_NIBBLES: [u8; WIDTH] = {
    let mut nibbles = [0; WIDTH];
    let mut byte = 0;
    while byte < 0x80 {
        if UNESCAPED[byte] != 0 {
            nibbles[byte & 15] |= 1 << (byte >> 4);
        }
        byte += 1;
    }
    nibbles
};

/// The bit of a high nibble in [`HIGH_NIBBLES`].
const HIGH_NIBBLE: [u8; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

/// The bytes that make a two-character escape after a backslash (RFC 8259, section 7): all but `u`.
#[target_feature(enable = "avx2")]
#[inline]
fn short_escapes(text: Bytes) -> u64 {
    !high_bits(Bytes(not_short_escapes(text.0), not_short_escapes(text.1)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn not_short_escapes(text: __m256i) -> __m256i {
    // Where the highest bit of a byte is set, a look-up gives zero.
    let nibbles = _mm256_shuffle_epi8(table(&HIGH_NIBBLES), text);
    let nibble = _mm256_and_si256(_mm256_srli_epi16::<4>(text), _mm256_set1_epi8(15));
    let both = _mm256_and_si256(nibbles, _mm256_shuffle_epi8(table(&HIGH_NIBBLE), nibble));
    _mm256_cmpeq_epi8(both, _mm256_setzero_si256())
}

/// What the bytes from `@` on stand for when they are escaped, by four bits that tell them apart.
const LETTERS: [u8; WIDTH] = {
    let mut letters = [0; WIDTH];
    let mut byte = b'@';
    while byte < 0x80 {
        if UNESCAPED[byte as usize] != 0 {
            assert!(letters[(byte >> 1) as usize & 15] == 0);
            letters[(byte >> 1) as usize & 15] = UNESCAPED[byte as usize];
        }
        byte += 1;
    }
    letters
};

/// The bytes, those that are escaped as what they stand for.
#[target_feature(enable = "avx2")]
#[inline]
fn unescaped(text: __m256i, escaped: u32) -> __m256i {
    let index = _mm256_and_si256(_mm256_srli_epi16::<1>(text), _mm256_set1_epi8(15));
    let letters = _mm256_shuffle_epi8(table(&LETTERS), index);
    // A blend looks at the highest bit of a byte. Below `@` all that is escaped stands for itself.
    let meaning = _mm256_blendv_epi8(text, letters, _mm256_slli_epi16::<1>(text));
    _mm256_blendv_epi8(text, meaning, byte_mask(escaped))
}

/// A mask as a vector: 0xFF in each lane whose bit is set, else 0.
#[target_feature(enable = "avx2")]
#[inline]
fn byte_mask(bits: u32) -> __m256i {
    const EACH: i64 = i64::from_le_bytes([1; 8]);
    let of_eight = _mm256_set_epi64x(3 * EACH, 2 * EACH, EACH, 0);
    let spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), of_eight);
    let bit = _mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
    _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit)
}

/// For every mask of eight bytes, the indices of its set bits: a shuffle by them brings those bytes together.
const INDICES: [[u8; 8]; 256] = {
    let mut indices = [[0; 8]; 256];
    let mut bits = 0;
    while bits < indices.len() {
        let (mut index, mut count) = (0, 0);
        while index < 8 {
            if bits >> index & 1 == 1 {
                indices[bits][count] = index as u8;
                count += 1;
            }
            index += 1;
        }
        bits += 1;
    }
    indices
};

/// Writes the bytes whose bit is set, side by side.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn write_half(text: __m256i, kept: u32, room: &mut [u8; BLOCK], end: &mut usize) {
    let [first, second, third, fourth] = kept.to_le_bytes();
    let (low, high) = (
        _mm256_castsi256_si128(text),
        _mm256_extracti128_si256::<1>(text),
    );
    write_eight(low, first, room, end);
    write_eight(_mm_unpackhi_epi64(low, low), second, room, end);
    write_eight(high, third, room, end);
    write_eight(_mm_unpackhi_epi64(high, high), fourth, room, end);
}

/// Writes those of the first eight bytes whose bit is set.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn write_eight(text: __m128i, kept: u8, room: &mut [u8; BLOCK], end: &mut usize) {
    let indices = _mm_cvtsi64_si128(i64::from_le_bytes(INDICES[usize::from(kept)]));
    let written = _mm_cvtsi128_si64(_mm_shuffle_epi8(text, indices));
    if let Some(room) = room.get_mut(*end..).and_then(<[u8]>::first_chunk_mut) {
        *room = written.to_le_bytes();
    }
    *end += kept.count_ones() as usize;
}

/// A table in both halves of a register.
#[target_feature(enable = "avx2")]
#[inline]
fn table(bytes: &[u8; WIDTH]) -> __m256i {
    let bits = u128::from_le_bytes(*bytes);
    let (low, high) = (bits as i64, (bits >> 64) as i64);
    _mm256_set_epi64x(high, low, high, low)
}
