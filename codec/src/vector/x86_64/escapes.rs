//! Which backslashes of a block begin an escape, and the loops that are the same for each instruction set.

/// The backslashes that begin an escape, in a block that begins outside one: of every run of backslashes the first,
/// the third and so on.
#[inline(always)]
pub(super) fn escape_starts(backslashes: u64) -> u64 {
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
                let starts = escape_starts(equal(text, b'\\'));
                let escaped = starts << 1;
                let not_short = escaped & !short_escapes(text);
                let quotes = equal(text, b'"') & !escaped;
                if not_short | quotes | controls(text) != 0 {
                    break;
                }
                at += BLOCK - (starts >> 63) as usize;
            }
            at
        }

        /// As the method of [`VectorLoops`](super::VectorLoops).
        #[target_feature(enable = $features)]
        pub(super) fn unescape(bytes: &[u8], out: &mut [u8]) -> (usize, usize) {
            let (mut at, mut end) = (0, 0);
            while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                let Some(room) = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut) else {
                    break;
                };
                let text = load(block);
                let starts = escape_starts(equal(text, b'\\'));
                if starts << 1 & !short_escapes(text) != 0 {
                    break;
                }
                write_unescaped(text, starts, room);
                // A backslash at the end of the block is left, if what it escapes is in the next.
                at += BLOCK - (starts >> 63) as usize;
                // An escape stands for one byte.
                end += starts.count_zeros() as usize;
            }
            (at, end)
        }
    };
}
pub(super) use define_text_loops;
