//! What AVX-512 with VBMI does: 64 bytes looked up in a table of 128, and bytes brought together.
//!
//! What is unsafe here are the loads and stores.

use std::arch::x86_64::{
    __m512i, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_loadu_si512, _mm512_madd_epi16,
    _mm512_maddubs_epi16, _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8, _mm512_movepi8_mask,
    _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use super::escapes::{define_text_loops, escape_starts};
use crate::lanes::BLOCK;
use crate::vector::unescape::UNESCAPED;

// Each feature in this list, and in those below, must be asked for in `has_vbmi`.
define_text_loops!("avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt");

/// The bytes that a block of base64 stands for.
const DECODED: usize = BLOCK / 4 * 3;

/// The value of each digit; the highest bit is set where there is none.
const VALUES: [[u8; BLOCK]; 2] = {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [[0x80; BLOCK]; 2];
    let mut value = 0;
    while value < DIGITS.len() {
        let digit = DIGITS[value] as usize;
        values[digit / BLOCK][digit % BLOCK] = value as u8;
        value += 1;
    }
    values
};

/// Where the bytes of a block lie before they are put in their order: three of each four, the last first.
const ORDER: [u8; BLOCK] = {
    let mut order = [0; BLOCK];
    let mut at = 0;
    while at < DECODED {
        order[at] = (at / 3 * 4 + 2 - at % 3) as u8;
        at += 1;
    }
    order
};

/// As the method of [`VectorLoops`](super::VectorLoops).
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn base64(text: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (low, high, order) = (load(&VALUES[0]), load(&VALUES[1]), load(&ORDER));
    let mut end = 0;
    for block in text.as_chunks::<BLOCK>().0 {
        let Some(room) = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut) else {
            break;
        };
        let text = load(block);
        let six_bits = _mm512_permutex2var_epi8(low, text, high);
        // A byte that is not ASCII is no digit either: the table is looked up by its lower seven bits.
        if _mm512_movepi8_mask(_mm512_or_si512(text, six_bits)) != 0 {
            break;
        }
        // Four values of six bits become two of twelve, and those one of 24: three bytes of each four.
        let twelve_bits = _mm512_maddubs_epi16(six_bits, _mm512_set1_epi32(0x0140_0140));
        let bytes = _mm512_madd_epi16(twelve_bits, _mm512_set1_epi32(0x0001_1000));
        store(room, _mm512_permutexvar_epi8(order, bytes));
        end += DECODED;
    }
    (end / DECODED * BLOCK, end)
}

/// The first half of [`UNESCAPED`]; the second has nothing.
const TABLE: [[u8; BLOCK]; 2] = {
    let (tables, _) = UNESCAPED.as_chunks();
    [tables[0], tables[1]]
};

/// What the bytes stand for after a backslash, if they make a two-character escape with it: looked up by their lower
/// seven bits.
#[target_feature(enable = "avx512f,avx512vbmi")]
#[inline]
fn meaning(text: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(load(&TABLE[0]), text, load(&TABLE[1]))
}

/// The bytes that make a two-character escape after a backslash (RFC 8259, section 7): all but `u`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn short_escapes(text: __m512i) -> u64 {
    let meaning = meaning(text);
    _mm512_test_epi8_mask(meaning, meaning) & !_mm512_movepi8_mask(text)
}

/// Writes a block with its escapes undone, which begin at `starts`; what follows that is garbage.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn write_unescaped(text: __m512i, starts: u64, room: &mut [u8; BLOCK]) {
    let text = _mm512_mask_mov_epi8(text, starts << 1, meaning(text));
    store(room, _mm512_maskz_compress_epi8(!starts, text));
}

/// The bytes up to U+001F.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn controls(text: __m512i) -> u64 {
    _mm512_cmple_epu8_mask(text, _mm512_set1_epi8(0x1F))
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn equal(text: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(byte as i8))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(block: &[u8; BLOCK]) -> __m512i {
    // SAFETY: the block has the 64 bytes that are read, and no alignment is asked for.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(room: &mut [u8; BLOCK], bytes: __m512i) {
    // SAFETY: there is room for the 64 bytes that are written, and no alignment is asked for.
    unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), bytes) }
}
