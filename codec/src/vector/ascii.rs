//! Text that is known to be UTF-8 without being looked at as such, because it was found to be ASCII.
//!
//! What is unsafe here is to call it text. The scans are the same for all processors.

use crate::lanes::{Lanes, WIDTH};

/// The text that `bytes` are, if they are ASCII.
#[inline(always)]
pub(crate) fn ascii(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    has_none(bytes, Lanes::not_ascii).then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

/// Likewise, if all of them are in U+0020 to U+007E and none is a quote or a backslash: what JSON holds
/// as it is.
#[inline(always)]
pub(crate) fn verbatim(bytes: &[u8]) -> Option<&str> {
    // SAFETY: U+0020 to U+007E are ASCII.
    has_none(bytes, Lanes::not_verbatim).then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

/// Whether no byte is one of those that a mask shows. Blanks must not be of them.
#[inline(always)]
fn has_none(bytes: &[u8], mask: impl Fn(Lanes) -> u32) -> bool {
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    let found = chunks
        .iter()
        .fold(0, |found, chunk| found | mask(Lanes::of(chunk)));
    found | mask(Lanes::rest(bytes, chunks.len() * WIDTH).lanes) == 0
}

/// As [`verbatim`], from `start` to the quote that closes a string in JSON; none for other strings, and for
/// those at the very end of `bytes`.
#[inline(always)]
pub(crate) fn verbatim_string(bytes: &[u8], start: usize) -> Option<&str> {
    let mut end = start;
    loop {
        let others = Lanes::at(bytes, end)?.not_verbatim();
        if others != 0 {
            end += others.trailing_zeros() as usize;
            break;
        }
        end += WIDTH;
    }
    let (text, behind) = bytes.get(start..)?.split_at_checked(end - start)?;
    // SAFETY: the loop went on over U+0020 to U+007E alone, which are ASCII, and `end` is at the first other byte.
    (behind.first() == Some(&b'"')).then(|| unsafe { str::from_utf8_unchecked(text) })
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
                    bytes.extend(b"\"xxxxxxxxxxxxxxxx");
                    let string = verbatim_string(&bytes, 0).map(str::len);
                    let expected = match byte {
                        b'"' => Some(at),
                        _ => is_verbatim(byte).then_some(length),
                    };
                    assert_eq!(string, expected, "{length} {at} {byte}");
                }
            }
        }
    }
}
