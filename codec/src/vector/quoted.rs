//! Strings of JSON that begin near the start of a text: where they end, and that they stand for
//! themselves.
//!
//! What is unsafe here is to call them text, and the calls of what a processor can do.

use super::processor::Processor;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::lanes::{BLOCK, Lanes, block_mask};

/// Finds the other bytes of a block, by what this processor can do, which is asked for once per text: quotes,
/// backslashes, and what is outside U+0020 to U+007E, so all that do not stand for themselves. The
/// lowest bit stands for the first byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker(unsafe fn(&[u8; BLOCK]) -> u64);

/// A text, of whose beginning the other bytes are known.
pub(crate) struct Marked<'a> {
    marker: Marker,
    text: &'a [u8],
    /// Of the first block; what is behind the end of the text is among them.
    others: u64,
}

impl Marker {
    #[inline]
    pub(crate) fn detect() -> Self {
        // SAFETY: that is the kind of this processor, or a lesser one.
        unsafe { Self::of(Processor::current()) }
    }

    /// # Safety
    /// The processor must be of that kind, or of a better one.
    #[inline]
    unsafe fn of(kind: Processor) -> Self {
        Self(match kind {
            Processor::Plain => others,
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 => avx2::others,
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 | Processor::Vbmi => avx512::others,
        })
    }

    #[inline(always)]
    pub(crate) fn mark(self, text: &[u8]) -> Marked<'_> {
        let others = match text.first_chunk() {
            Some(block) => self.others(block),
            None => self.others_of_last(text),
        };
        Marked {
            marker: self,
            text,
            others,
        }
    }

    #[inline(always)]
    fn others(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: the processor has what the function is compiled for, which `of` demands.
        unsafe { self.0(block) }
    }

    /// NUL is among the others.
    #[inline(never)]
    fn others_of_last(self, text: &[u8]) -> u64 {
        let mut padded = [0; BLOCK];
        for (padded, byte) in padded.iter_mut().zip(text) {
            *padded = *byte;
        }
        self.others(&padded)
    }
}

impl<'a> Marked<'a> {
    /// Where the first other byte is, or [`BLOCK`] if there is none near.
    #[inline(always)]
    pub(crate) fn first_other(&self) -> usize {
        self.others.trailing_zeros() as usize
    }

    /// The text up to there.
    #[inline(always)]
    pub(crate) fn before_first_other(&self) -> &'a str {
        let before = self.text.get(..self.first_other()).unwrap_or_default();
        // SAFETY: none of these bytes is among the others, so all are ASCII.
        unsafe { str::from_utf8_unchecked(before) }
    }

    /// The inside of the string that begins at `start`, if all of it stands for itself.
    #[inline(always)]
    pub(crate) fn verbatim(&self, start: usize) -> Option<&'a str> {
        let others = self.others.checked_shr(u32::try_from(start).ok()?)?;
        if others == 0 {
            return long_verbatim(self.marker, self.text, start);
        }
        let end = start + others.trailing_zeros() as usize;
        // SAFETY: `end` is the first of the others from `start` on.
        unsafe { verbatim(self.text, start, end) }
    }
}

/// As [`Marked::verbatim`], where nothing in the first block ends the string.
#[inline(never)]
fn long_verbatim(marker: Marker, text: &[u8], start: usize) -> Option<&str> {
    let mut end = BLOCK;
    loop {
        let rest = marker.mark(text.get(end..)?);
        end += rest.first_other();
        if rest.others != 0 {
            // SAFETY: none is in the first block from `start` on, nor in those behind it up to `end`.
            return unsafe { verbatim(text, start, end) };
        }
    }
}

/// The text from `start` to a quote at `end`.
///
/// # Safety
/// Between them must be no other byte.
#[inline(always)]
unsafe fn verbatim(text: &[u8], start: usize, end: usize) -> Option<&str> {
    let (string, behind) = text.get(start..)?.split_at_checked(end - start)?;
    // SAFETY: what is not among the others is in U+0020 to U+007E, which are ASCII.
    (behind.first() == Some(&b'"')).then(|| unsafe { str::from_utf8_unchecked(string) })
}

/// As any processor can.
fn others(block: &[u8; BLOCK]) -> u64 {
    !block_mask(block, Lanes::verbatim)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to find marks that this processor has.
    fn each() -> impl Iterator<Item = Marker> {
        let kinds = Processor::EACH.into_iter();
        let kinds = kinds.filter(|kind| *kind <= Processor::current());
        // SAFETY: the processor is of these kinds, or of a better one.
        kinds.map(|kind| unsafe { Marker::of(kind) })
    }

    fn is_other(byte: u8) -> bool {
        !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\')
    }

    #[test]
    fn every_way_marks_every_byte_at_every_place() {
        for marker in each() {
            for at in 0..BLOCK {
                for byte in 0..=u8::MAX {
                    let mut block = [b'x'; BLOCK];
                    block[at] = byte;
                    let expected = u64::from(is_other(byte)) << at;
                    assert_eq!(marker.others(&block), expected, "{byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn strings_end_at_their_quote_and_nowhere_else() {
        for marker in each() {
            for length in 0..200 {
                for start in [0, 1, 17, 63, 64, 65, 130] {
                    for last in *b"\"\\~ \0\x1F\x7F\x80\xFF" {
                        let mut text = vec![b'\\'; start];
                        text.resize(start + length, b'x');
                        text.push(last);
                        check(marker, &text, start, last);
                        text.extend(b"y\"");
                        check(marker, &text, start, last);
                    }
                }
            }
        }
    }

    /// Holds the string that begins at `start` against a walk byte by byte.
    #[track_caller]
    fn check(marker: Marker, text: &[u8], start: usize, last: u8) {
        let inside = &text[start..];
        let end = inside.iter().position(|byte| is_other(*byte));
        let expected = end
            .filter(|end| inside[*end] == b'"')
            .map(|end| str::from_utf8(&inside[..end]).unwrap())
            .filter(|_| start < BLOCK);
        let found = marker.mark(text).verbatim(start);
        assert_eq!(
            found,
            expected,
            "{} bytes, from {start}, {last}",
            text.len()
        );
    }

    #[test]
    fn a_place_beyond_all_blocks_is_no_string() {
        for marker in each() {
            for start in [BLOCK, 1 << 32, usize::MAX] {
                assert_eq!(marker.mark(&[b'"'; 80]).verbatim(start), None);
            }
        }
    }

    #[test]
    fn the_first_other_byte_may_be_far() {
        for marker in each() {
            assert_eq!(marker.mark(b"id\":").first_other(), 2);
            assert_eq!(marker.mark(&[b'x'; BLOCK]).first_other(), BLOCK);
        }
    }
}
