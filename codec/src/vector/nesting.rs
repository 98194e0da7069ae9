//! Which brackets belong together, and what may stand between them.
//!
//! Brackets are checked several blocks at a time: how many one block has varies, and a loop over so few
//! would cost a mispredicted branch per block.

use super::grammar::ScannedBlock;
use crate::lanes::BLOCK;

/// Defines `skip_container` for one instruction set, with its own `masks`: a closure would be compiled without
/// the set.
macro_rules! define_skip_container {
    ($features:literal) => {
        /// As the function of the parent.
        #[target_feature(enable = $features)]
        pub(super) fn skip_container(bytes: &[u8], at: usize, depth_max: usize) -> Option<usize> {
            use std::arch::x86_64::_pext_u64;
            use $crate::vector::grammar::Scanner;
            use $crate::vector::nesting::{Brackets, Checked, Nesting};

            let mut scanner = Scanner::new(bytes, at);
            let mut nesting = Nesting::new(depth_max);
            let mut brackets = Brackets::new(at);
            let mut padded = [b' '; BLOCK];
            loop {
                let rest = bytes.get(scanner.at()..)?;
                let block = match rest.first_chunk() {
                    Some(block) => block,
                    None => {
                        padded.get_mut(..rest.len())?.copy_from_slice(rest);
                        &padded
                    }
                };
                let masks = masks(block);
                let quotes = scanner.quotes(&masks)?;
                let block = scanner.scan_block(&masks, quotes, parity(quotes));
                if brackets.is_full(block.brackets) {
                    if let Checked::Complete(end) = nesting.check(&brackets)? {
                        return Some(end);
                    }
                    brackets = Brackets::new(scanner.at());
                }
                brackets.push(
                    &block,
                    _pext_u64(block.opening, block.brackets),
                    _pext_u64(masks.curly, block.brackets),
                    _pext_u64(block.keys, block.brackets),
                    _pext_u64(block.elements, block.brackets),
                );
                scanner.advance();
                if rest.len() < BLOCK {
                    break;
                }
            }
            match nesting.check(&brackets)? {
                Checked::Complete(end) => Some(end),
                Checked::Incomplete => None,
            }
        }
    };
}
pub(super) use define_skip_container;

/// Blocks checked together.
const BLOCKS: usize = 8;

/// The deepest nesting that the stack is used for. It has 64 bits, one of which marks its bottom.
const STACK_DEPTH_MAX: usize = 62;

/// The brackets of a few blocks, one bit each: what they are, and what stands before them.
pub(super) struct Brackets {
    /// Where the first block begins.
    at: usize,
    blocks: usize,
    count: u32,
    opening: u64,
    curly: u64,
    keys: u64,
    elements: u64,
    masks: [u64; BLOCKS],
    wrong: [u64; BLOCKS],
}

impl Brackets {
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
            masks: [0; BLOCKS],
            wrong: [0; BLOCKS],
        }
    }

    /// Whether there is no room for one more block with these brackets. There always is when there are none yet.
    #[inline(always)]
    pub(super) fn is_full(&self, brackets: u64) -> bool {
        self.blocks == BLOCKS || self.count + brackets.count_ones() > u64::BITS
    }

    /// Takes a block, its brackets as bits side by side.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        block: &ScannedBlock,
        opening: u64,
        curly: u64,
        keys: u64,
        elements: u64,
    ) {
        let count = block.brackets.count_ones();
        if count != 0 {
            self.opening |= opening << self.count;
            self.curly |= curly << self.count;
            self.keys |= keys << self.count;
            self.elements |= elements << self.count;
            self.count += count;
        }
        self.masks[self.blocks % BLOCKS] = block.brackets;
        self.wrong[self.blocks % BLOCKS] = block.wrong;
        self.blocks += 1;
    }

    /// Where the bracket of that number is, given that nothing up to there is wrong.
    fn end(&self, mut number: u32) -> Option<usize> {
        for (block, (&brackets, wrong)) in self.masks.iter().zip(self.wrong).enumerate() {
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

/// Whether the brackets that were checked end the value.
pub(super) enum Checked {
    /// They do, there.
    Complete(usize),
    Incomplete,
}

/// The brackets that are open.
pub(super) struct Nesting {
    /// One bit per level: 1 is an object, 0 an array. The highest 1 is the bottom of the stack, and no level.
    stack: u64,
    depth_max: u32,
}

impl Nesting {
    #[inline(always)]
    pub(super) fn new(depth_max: usize) -> Self {
        Self {
            stack: 1,
            depth_max: depth_max.min(STACK_DEPTH_MAX) as u32,
        }
    }

    /// Checks the brackets of a few blocks; `None` where something may be wrong.
    #[inline(always)]
    pub(super) fn check(&mut self, brackets: &Brackets) -> Option<Checked> {
        let depth = u64::BITS - 1 - self.stack.leading_zeros();
        if depth + brackets.opening.count_ones() > self.depth_max {
            return None;
        }
        let mut stack = self.stack;
        let mut wrong = 0;
        let (mut opening, mut curly) = (brackets.opening, brackets.curly);
        let (mut keys, mut elements) = (brackets.keys, brackets.elements);
        for number in 0..brackets.count {
            wrong |= keys & !stack | elements & stack | (stack ^ curly) & !opening;
            let (inner, outer) = (stack << 1 | curly & 1, stack >> 1);
            stack = if opening & 1 == 1 { inner } else { outer };
            if stack == 1 {
                return if wrong & 1 == 0 {
                    brackets.end(number).map(Checked::Complete)
                } else {
                    None
                };
            }
            opening >>= 1;
            curly >>= 1;
            keys >>= 1;
            elements >>= 1;
        }
        self.stack = stack;
        let is_right = wrong & 1 == 0 && brackets.wrong.iter().all(|wrong| *wrong == 0);
        is_right.then_some(Checked::Incomplete)
    }
}
