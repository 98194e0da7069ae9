//! Text that is known to be UTF-8 without being looked at as such, because it was found to be ASCII; and verbatim
//! text: printable ASCII without quotes and backslashes, so that nothing in it is escaped in JSON.
//!
//! What is unsafe here is to call it text. The scans are the same for all processors.

use crate::lanes::{BLOCK, Lanes, block_mask, has_none};

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

/// A text of whose first block it is known which bytes are verbatim.
pub(crate) struct ScannedText<'a> {
    text: &'a [u8],
    /// A mask of the first block; bytes beyond the end of the text count as not verbatim.
    not_verbatim: u64,
}

impl<'a> ScannedText<'a> {
    #[inline(always)]
    pub(crate) fn of(text: &'a [u8]) -> Self {
        let not_verbatim = match text.first_chunk() {
            Some(block) => block_mask(block, Lanes::not_verbatim),
            None => not_verbatim_in_last(text),
        };
        Self { text, not_verbatim }
    }

    /// How many bytes from the first on are verbatim, at most [`BLOCK`].
    #[inline(always)]
    pub(crate) fn verbatim_len(&self) -> usize {
        self.not_verbatim.trailing_zeros() as usize
    }

    /// These bytes, as text.
    #[inline(always)]
    pub(crate) fn verbatim_prefix(&self) -> &'a str {
        let before = self.text.get(..self.verbatim_len()).unwrap_or_default();
        // SAFETY: all of these bytes are verbatim, so ASCII.
        unsafe { str::from_utf8_unchecked(before) }
    }

    /// The inside of the string that begins at `start`, if all of it is verbatim.
    #[inline(always)]
    pub(crate) fn verbatim_string(&self, start: usize) -> Option<&'a str> {
        let not_verbatim = self.not_verbatim.checked_shr(u32::try_from(start).ok()?)?;
        if not_verbatim == 0 {
            return long_verbatim_string(self.text, start);
        }
        let end = start + not_verbatim.trailing_zeros() as usize;
        // SAFETY: `end` is the first byte from `start` on that is not verbatim.
        unsafe { string_before_quote(self.text, start, end) }
    }
}

/// As [`ScannedText::verbatim_string`], where nothing in the first block ends the string.
#[inline(never)]
fn long_verbatim_string(text: &[u8], start: usize) -> Option<&str> {
    let mut end = BLOCK;
    loop {
        let rest = ScannedText::of(text.get(end..)?);
        end += rest.verbatim_len();
        if rest.not_verbatim != 0 {
            // SAFETY: all are verbatim in the first block from `start` on, and in those after it up to `end`.
            return unsafe { string_before_quote(text, start, end) };
        }
    }
}

/// The text from `start` to a quote at `end`.
///
/// # Safety
/// All bytes between them must be verbatim.
#[inline(always)]
unsafe fn string_before_quote(text: &[u8], start: usize, end: usize) -> Option<&str> {
    let (string, after) = text.get(start..)?.split_at_checked(end - start)?;
    // SAFETY: verbatim bytes are in U+0020 to U+007E, which are ASCII.
    (after.first() == Some(&b'"')).then(|| unsafe { str::from_utf8_unchecked(string) })
}

/// Pads with NUL, which is not verbatim.
#[inline(never)]
fn not_verbatim_in_last(text: &[u8]) -> u64 {
    let mut padded = [0; BLOCK];
    padded[..text.len()].copy_from_slice(text);
    block_mask(&padded, Lanes::not_verbatim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_not_verbatim(byte: u8) -> bool {
        !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\')
    }

    #[test]
    fn ascii_and_verbatim_text_has_no_other_byte_at_any_place() {
        for length in 0..50 {
            assert_eq!(ascii(&vec![b'x'; length]).map(str::len), Some(length));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = byte;
                    assert_eq!(ascii(&bytes).is_some(), byte.is_ascii());
                    assert_eq!(verbatim(&bytes).is_none(), is_not_verbatim(byte));
                }
            }
        }
    }

    #[test]
    fn finds_every_byte_at_every_place() {
        for at in 0..BLOCK {
            for byte in 0..=u8::MAX {
                let mut block = [b'x'; BLOCK];
                block[at] = byte;
                let expected = u64::from(is_not_verbatim(byte)) << at;
                assert_eq!(
                    block_mask(&block, Lanes::not_verbatim),
                    expected,
                    "{byte} at {at}"
                );
            }
        }
    }

    #[test]
    fn strings_end_at_their_quote_and_nowhere_else() {
        for length in 0..200 {
            for start in [0, 1, 17, 63, 64, 65, 130] {
                for last in *b"\"\\~ \0\x1F\x7F\x80\xFF" {
                    let mut text = vec![b'\\'; start];
                    text.resize(start + length, b'x');
                    text.push(last);
                    check(&text, start, last);
                    text.extend(b"y\"");
                    check(&text, start, last);
                }
            }
        }
    }

    /// Holds the string that begins at `start` against a walk byte by byte.
    #[track_caller]
    fn check(text: &[u8], start: usize, last: u8) {
        let inside = &text[start..];
        let end = inside.iter().position(|byte| is_not_verbatim(*byte));
        let expected = end
            .filter(|end| inside[*end] == b'"')
            .map(|end| str::from_utf8(&inside[..end]).unwrap())
            .filter(|_| start < BLOCK);
        let found = ScannedText::of(text).verbatim_string(start);
        assert_eq!(
            found,
            expected,
            "{} bytes, from {start}, {last}",
            text.len()
        );
    }

    #[test]
    fn a_place_beyond_all_blocks_is_no_string() {
        for start in [BLOCK, 1 << 32, usize::MAX] {
            assert_eq!(ScannedText::of(&[b'"'; 80]).verbatim_string(start), None);
        }
    }

    #[test]
    fn the_first_byte_that_is_not_verbatim_may_be_far() {
        assert_eq!(ScannedText::of(b"id\":").verbatim_len(), 2);
        assert_eq!(ScannedText::of(&[b'x'; BLOCK]).verbatim_len(), BLOCK);
    }
}
