//! Base64 by AVX-512 with VBMI: 64 bytes looked up in a table of 128, and brought into another order.
//!
//! What is unsafe here are the loads and a store.

use std::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_movepi8_mask,
    _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi32,
    _mm512_storeu_si512,
};

use crate::lanes::BLOCK;

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
// Each feature in this list, and in that below, must be asked for in `has_vbmi`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn base64(text: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (low, high, order) = (load(&VALUES[0]), load(&VALUES[1]), load(&ORDER));
    let mut end = 0;
    for block in text.as_chunks::<BLOCK>().0 {
        let room: Option<&mut [u8; BLOCK]> = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut);
        let Some(room) = room else { break };
        let text = load(block);
        let six_bits = _mm512_permutex2var_epi8(low, text, high);
        // A byte that is not ASCII is no digit either: the table is looked up by its lower seven bits.
        if _mm512_movepi8_mask(_mm512_or_si512(text, six_bits)) != 0 {
            break;
        }
        // Four values of six bits become two of twelve, and those one of 24: three bytes of each four.
        let twelve_bits = _mm512_maddubs_epi16(six_bits, _mm512_set1_epi32(0x0140_0140));
        let bytes = _mm512_madd_epi16(twelve_bits, _mm512_set1_epi32(0x0001_1000));
        let bytes = _mm512_permutexvar_epi8(order, bytes);
        // SAFETY: there is room for the 64 bytes that are written, and no alignment is asked for.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), bytes) }
        end += DECODED;
    }
    (end / DECODED * BLOCK, end)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(block: &[u8; BLOCK]) -> __m512i {
    // SAFETY: the block has the 64 bytes that are read, and no alignment is asked for.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}
