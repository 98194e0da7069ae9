//! Which brackets belong together, and what may stand between them.
//!
//! Brackets are judged several blocks at a time: their number varies from block to block, and a loop
//! over those of one block would end where the processor does not foresee it.

use super::grammar::Found;
use crate::lanes::BLOCK;

/// Defines the walk for one kind of processor, with its own `masks`. A function that took them as a
/// closure would be compiled for lesser processors.
macro_rules! define_skip_container {
    ($features:literal) => {
        /// As the function of the parent.
        #[target_feature(enable = $features)]
        pub(super) fn skip_container(bytes: &[u8], at: usize, levels: usize) -> Option<usize> {
            use std::arch::x86_64::_pext_u64;
            use $crate::vector::grammar::Walk;
            use $crate::vector::levels::{Batch, Judged, Levels};

            let mut walk = Walk::new(bytes, at);
            let mut levels = Levels::new(levels);
            let mut batch = Batch::new(at);
            let mut padded = [b' '; BLOCK];
            loop {
                let rest = bytes.get(walk.at()..)?;
                let block = match rest.first_chunk() {
                    Some(block) => block,
                    None => {
                        padded.get_mut(..rest.len())?.copy_from_slice(rest);
                        &padded
                    }
                };
                let masks = masks(block);
                let quotes = walk.quotes(&masks)?;
                let found = walk.step(&masks, quotes, parity(quotes));
                if batch.is_full(found.brackets) {
                    if let Judged::Ends(end) = levels.judge(&batch)? {
                        return Some(end);
                    }
                    batch = Batch::new(walk.at());
                }
                let brackets = found.brackets;
                batch.push(
                    &found,
                    _pext_u64(found.opening, brackets),
                    _pext_u64(masks.curly, brackets),
                    _pext_u64(found.keys, brackets),
                    _pext_u64(found.elements, brackets),
                );
                walk.advance();
                if rest.len() < BLOCK {
                    break;
                }
            }
            match levels.judge(&batch)? {
                Judged::Ends(end) => Some(end),
                Judged::GoesOn => None,
            }
        }
    };
}
pub(super) use define_skip_container;

/// Blocks judged together.
const BLOCKS: usize = 8;

/// The deepest nesting that fits.
const LEVELS_MAX: usize = 62;

/// The brackets of a few blocks, one bit each: what they are, and what stands before them.
pub(super) struct Batch {
    /// Where the first block begins.
    at: usize,
    blocks: usize,
    count: u32,
    opening: u64,
    curly: u64,
    keys: u64,
    elements: u64,
    brackets: [u64; BLOCKS],
    wrong: [u64; BLOCKS],
}

impl Batch {
    #[inline(always)]
    pub(super) fn new(at: usize) -> Self {
        Self {
            at,
            blocks: 0,
            count: 0,
            opening: 0,
            curly: 0,
            keys: 0,
            elements: 0,
            brackets: [0; BLOCKS],
            wrong: [0; BLOCKS],
        }
    }

    /// Whether there is no room for one more block with these brackets. There always is in a new batch.
    #[inline(always)]
    pub(super) fn is_full(&self, brackets: u64) -> bool {
        self.blocks == BLOCKS || self.count + brackets.count_ones() > u64::BITS
    }

    /// Takes a block, its brackets as bits side by side.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        found: &Found,
        opening: u64,
        curly: u64,
        keys: u64,
        elements: u64,
    ) {
        let count = found.brackets.count_ones();
        if count != 0 {
            self.opening |= opening << self.count;
            self.curly |= curly << self.count;
            self.keys |= keys << self.count;
            self.elements |= elements << self.count;
            self.count += count;
        }
        self.brackets[self.blocks % BLOCKS] = found.brackets;
        self.wrong[self.blocks % BLOCKS] = found.wrong;
        self.blocks += 1;
    }

    /// Where the bracket of that number is, given that nothing up to there is wrong.
    fn end(&self, mut number: u32) -> Option<usize> {
        for (block, (&brackets, wrong)) in self.brackets.iter().zip(self.wrong).enumerate() {
            let count = brackets.count_ones();
            if number >= count {
                number -= count;
                if wrong != 0 {
                    return None;
                }
                continue;
            }
            let mut rest = brackets;
            for _ in 0..number {
                rest &= rest - 1;
            }
            let bit = rest & rest.wrapping_neg();
            let is_right = wrong & (bit | (bit - 1)) == 0;
            let place = rest.trailing_zeros() as usize;
            return is_right.then_some(self.at + block * BLOCK + place + 1);
        }
        None
    }
}

/// What a batch came to.
pub(super) enum Judged {
    /// The value ends there.
    Ends(usize),
    GoesOn,
}

/// The brackets that are open.
pub(super) struct Levels {
    /// One bit per level: 1 is an object, 0 an array. The highest one is no level.
    nesting: u64,
    max: u32,
}

impl Levels {
    #[inline(always)]
    pub(super) fn new(max: usize) -> Self {
        Self {
            nesting: 1,
            max: max.min(LEVELS_MAX) as u32,
        }
    }

    /// Judges the brackets of a batch; `None` where something may be wrong.
    #[inline(always)]
    pub(super) fn judge(&mut self, batch: &Batch) -> Option<Judged> {
        let depth = u64::BITS - 1 - self.nesting.leading_zeros();
        if depth + batch.opening.count_ones() > self.max {
            return None;
        }
        let mut nesting = self.nesting;
        let mut wrong = 0;
        let (mut opening, mut curly) = (batch.opening, batch.curly);
        let (mut keys, mut elements) = (batch.keys, batch.elements);
        for number in 0..batch.count {
            wrong |= keys & !nesting | elements & nesting | (nesting ^ curly) & !opening;
            let (inner, outer) = (nesting << 1 | curly & 1, nesting >> 1);
            nesting = if opening & 1 == 1 { inner } else { outer };
            if nesting == 1 {
                return if wrong & 1 == 0 {
                    batch.end(number).map(Judged::Ends)
                } else {
                    None
                };
            }
            opening >>= 1;
            curly >>= 1;
            keys >>= 1;
            elements >>= 1;
        }
        self.nesting = nesting;
        let is_right = wrong & 1 == 0 && batch.wrong.iter().all(|wrong| *wrong == 0);
        is_right.then_some(Judged::GoesOn)
    }
}
