//! Strings of JSON that begin near the start of a text: where they end, and that they stand for
//! themselves.
//!
//! What is unsafe here is to call them text, and the calls of what a processor can do.

use super::processor::Processor;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::lanes::{BLOCK, Lanes, block_mask};

/// What the bytes of one block are. The lowest bit stands for the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) quotes: u64,
    /// Quotes, backslashes, and what is outside U+0020 to U+007E: all that do not stand for themselves.
    pub(super) others: u64,
}

/// Finds marks by what this processor can do, which is asked for once per text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker(unsafe fn(&[u8; BLOCK]) -> Marks);

/// A text and the marks of its first bytes.
pub(crate) struct Marked<'a> {
    marker: Marker,
    text: &'a [u8],
    /// Of the first block; bytes behind the end are others, and no quotes.
    marks: Marks,
}

impl Marker {
    #[inline]
    pub(crate) fn detect() -> Self {
        Self::of(Processor::current())
    }

    /// That kind must be one that this processor is of, or can do for.
    #[inline]
    fn of(kind: Processor) -> Self {
        Self(match kind {
            Processor::Plain => marks,
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 => avx2::marks,
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 | Processor::Vbmi => avx512::marks,
        })
    }

    #[inline(always)]
    pub(crate) fn mark(self, text: &[u8]) -> Marked<'_> {
        let marks = match text.first_chunk() {
            Some(block) => self.marks(block),
            None => self.marks_of_last(text),
        };
        Marked {
            marker: self,
            text,
            marks,
        }
    }

    #[inline(always)]
    fn marks(self, block: &[u8; BLOCK]) -> Marks {
        // SAFETY: the processor has what the function is compiled for, as `of` asks.
        unsafe { self.0(block) }
    }

    /// NUL stands for itself nowhere.
    #[inline(never)]
    fn marks_of_last(self, text: &[u8]) -> Marks {
        let mut padded = [0; BLOCK];
        for (padded, byte) in padded.iter_mut().zip(text) {
            *padded = *byte;
        }
        self.marks(&padded)
    }
}

impl<'a> Marked<'a> {
    /// Where the first quote is, or [`BLOCK`] if there is none near.
    #[inline(always)]
    pub(crate) fn first_quote(&self) -> usize {
        self.marks.quotes.trailing_zeros() as usize
    }

    /// Whether the byte at `at`, which lies in the first block, and the second one behind it are quotes, and
    /// that between them is none.
    #[inline(always)]
    pub(crate) fn has_quotes_around(&self, at: usize) -> bool {
        self.marks.quotes.wrapping_shr(at as u32) & 0b111 == 0b101
    }

    /// The string that begins at `start`, if all of it stands for itself.
    #[inline(always)]
    pub(crate) fn verbatim(&self, start: usize) -> Option<&'a str> {
        let others = self.marks.others.checked_shr(u32::try_from(start).ok()?)?;
        if others == 0 {
            return long_verbatim(self.marker, self.text, start);
        }
        let end = start + others.trailing_zeros() as usize;
        if self.marks.quotes >> end & 1 == 0 {
            return None;
        }
        let text = self.text.get(start..end)?;
        // SAFETY: there is no other byte from `start` to `end`, so all are in U+0020 to U+007E, which are ASCII.
        Some(unsafe { str::from_utf8_unchecked(text) })
    }
}

/// As [`Marked::verbatim`], where nothing in the first block ends the string.
#[inline(never)]
fn long_verbatim(marker: Marker, text: &[u8], start: usize) -> Option<&str> {
    let mut end = BLOCK;
    loop {
        let others = marker.mark(text.get(end..)?).marks.others;
        end += others.trailing_zeros() as usize;
        if others != 0 {
            break;
        }
    }
    let (string, behind) = text.get(start..)?.split_at_checked(end - start)?;
    // SAFETY: as above; in the first block there is none from `start` on.
    (behind.first() == Some(&b'"')).then(|| unsafe { str::from_utf8_unchecked(string) })
}

/// As any processor can.
fn marks(block: &[u8; BLOCK]) -> Marks {
    Marks {
        quotes: block_mask(block, |lanes| lanes.places(b'"')),
        others: block_mask(block, Lanes::not_verbatim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to find marks that this processor has.
    fn each() -> impl Iterator<Item = Marker> {
        let kinds = Processor::EACH.into_iter();
        kinds
            .filter(|kind| *kind <= Processor::current())
            .map(Marker::of)
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
                    let expected = Marks {
                        quotes: u64::from(byte == b'"') << at,
                        others: u64::from(is_other(byte)) << at,
                    };
                    assert_eq!(marker.marks(&block), expected, "{byte} at {at}");
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
    fn quotes_around_a_colon_are_seen() {
        for marker in each() {
            let marked = marker.mark(br#"id":"12" , "nn" : "z"#);
            assert_eq!(marked.first_quote(), 2);
            let around: Vec<_> = (0..20).filter(|at| marked.has_quotes_around(*at)).collect();
            assert_eq!(around, [2]);
            assert_eq!(marker.mark(b"no quote").first_quote(), BLOCK);
        }
    }
}
