//! Base64 to bytes (RFC 4648, section 4): blocks where the processor can, the rest by base64-simd.

use base64_simd::{Out, STANDARD};

use super::blocks::Blocks;
use crate::lanes::BLOCK;

/// The bytes that a block of base64 stands for.
pub(super) const DECODED: usize = BLOCK / 4 * 3;

/// The value of each digit; the highest bit is set where there is none.
pub(super) const VALUES: [[u8; BLOCK]; 2] = {
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
pub(super) const ORDER: [u8; BLOCK] = {
    let mut order = [0; BLOCK];
    let mut at = 0;
    while at < DECODED {
        order[at] = (at / 3 * 4 + 2 - at % 3) as u8;
        at += 1;
    }
    order
};

/// The bytes that `text` stands for; `None` where it is not base64 with its padding and nothing else.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    decode_by(Blocks::detect(), text)
}

pub(super) fn decode_by(by: Option<Blocks>, text: &[u8]) -> Option<Vec<u8>> {
    let length = STANDARD.decoded_length(text).ok()?;
    let mut out = vec![0; length];
    let blocks = by.map_or(0, |blocks| blocks.base64(text, &mut out));
    let text = text.get(blocks * BLOCK..)?;
    let rest = out.get_mut(blocks * DECODED..)?;
    STANDARD.decode(text, Out::from_slice(rest)).ok()?;
    Some(out)
}
