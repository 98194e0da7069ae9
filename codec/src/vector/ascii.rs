//! Text that is known to be UTF-8 without being looked at as such, because it was found to be ASCII.
//!
//! What is unsafe here is to call it text. The scans are the same for all processors.

use crate::lanes::{Lanes, has_none};

/// The text that `bytes` are, if they are ASCII.
#[inline(always)]
pub(crate) fn ascii(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    has_none(bytes, Lanes::not_ascii).then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

/// Likewise, if they are verbatim: U+0020 to U+007E without quotes and backslashes.
#[inline(always)]
pub(crate) fn verbatim(bytes: &[u8]) -> Option<&str> {
    // SAFETY: U+0020 to U+007E are ASCII.
    has_none(bytes, Lanes::not_verbatim).then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_verbatim(byte: u8) -> bool {
        matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
    }

    #[test]
    fn finds_every_other_byte_at_every_place() {
        for length in 0..50 {
            assert_eq!(ascii(&vec![b'x'; length]).map(str::len), Some(length));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = byte;
                    assert_eq!(ascii(&bytes).is_some(), byte.is_ascii());
                    assert_eq!(verbatim(&bytes).is_some(), is_verbatim(byte));
                }
            }
        }
    }
}
