//! Which backslashes of a block begin an escape, and the loops that are the same for each instruction set.

use crate::lanes::BLOCK;

/// The escapes of a block that begins outside one.
pub(super) struct Escapes {
    /// Their backslashes.
    pub(super) starts: u64,
    /// The bytes after those.
    pub(super) escaped: u64,
}

impl Escapes {
    #[inline(always)]
    pub(super) fn of(backslashes: u64) -> Self {
        let starts = starts(backslashes);
        let escaped = starts << 1;
        Self { starts, escaped }
    }

    /// The bytes of the block, without the backslash at its end if what it escapes is in the next.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        BLOCK - (self.starts >> 63) as usize
    }

    /// The bytes that the block is when its escapes, which stand for a byte each, are undone.
    #[inline(always)]
    pub(super) fn unescaped_length(&self) -> usize {
        self.starts.count_zeros() as usize
    }
}

/// Of every run of backslashes the first, the third and so on.
#[inline(always)]
fn starts(backslashes: u64) -> u64 {
    if backslashes & backslashes << 1 == 0 {
        return backslashes;
    }
    let (mut starts, mut rest) = (0, backslashes);
    while rest != 0 {
        let start = rest & rest.wrapping_neg();
        starts |= start;
        rest &= !(start | start << 1);
    }
    starts
}

/// Defines the loops over text for one instruction set, with its own `load`, `equal`, `controls`,
/// `short_escapes` and `write_unescaped`: closures would be compiled without the set.
macro_rules! define_text_loops {
    ($features:literal) => {
        /// As the method of [`VectorLoops`](super::VectorLoops).
        #[target_feature(enable = $features)]
        pub(super) fn skip_text(bytes: &[u8], mut at: usize) -> usize {
            while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                let text = load(block);
                let escapes = Escapes::of(equal(text, b'\\'));
                let not_short = escapes.escaped & !short_escapes(text);
                let quotes = equal(text, b'"') & !escapes.escaped;
                if not_short | quotes | controls(text) != 0 {
                    break;
                }
                at += escapes.length();
            }
            at
        }

        /// As the method of [`VectorLoops`](super::VectorLoops).
        #[target_feature(enable = $features)]
        pub(super) fn unescape(
            bytes: &[u8],
            mut at: usize,
            out: &mut [u8],
            mut end: usize,
        ) -> (usize, usize) {
            while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                let Some(room) = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut) else {
                    break;
                };
                let text = load(block);
                let escapes = Escapes::of(equal(text, b'\\'));
                if escapes.escaped & !short_escapes(text) != 0 {
                    break;
                }
                write_unescaped(text, &escapes, room);
                at += escapes.length();
                end += escapes.unescaped_length();
            }
            (at, end)
        }
    };
}
pub(super) use define_text_loops;
