//! Loops over blocks of text, compiled for what a processor has beyond its platform.
//!
//! Each goes as far as it is sure and says how far that is. The safe code that called it goes on from
//! there, and alone refuses.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, reason = "no loop, so nobody reads what it is given")
)]

use super::instruction_set::InstructionSet;
#[cfg(target_arch = "x86_64")]
use super::{avx2_text, vbmi};

/// Proof that the processor has an instruction set, asked for once per text and not per block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorLoops(Loops);

#[derive(Clone, Copy, Debug)]
enum Loops {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Vbmi,
}

impl VectorLoops {
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        Self::of(InstructionSet::current())
    }

    /// The processor must have that set.
    #[inline]
    fn of(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Baseline => None,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 | InstructionSet::Avx512 => Some(Self(Loops::Avx2)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vbmi => Some(Self(Loops::Vbmi)),
        }
    }

    /// Every proof that this processor gives, and none at all, which leaves all to the safe code.
    #[cfg(all(test, target_arch = "x86_64"))]
    pub(super) fn each() -> impl Iterator<Item = Option<Self>> {
        let sets = [
            InstructionSet::Avx512Vbmi,
            InstructionSet::Avx2,
            InstructionSet::Baseline,
        ];
        let has = |set: &InstructionSet| *set <= InstructionSet::current();
        sets.into_iter().filter(has).map(Self::of)
    }

    /// Walks over the inside of a string from `at`; returns a place up to which all is text and whole escapes.
    pub(crate) fn skip_text(self, bytes: &[u8], at: usize) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: such a value is made for processors that have what the function is compiled for.
            Loops::Avx2 => unsafe { avx2_text::skip_text(bytes, at) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: likewise.
            Loops::Vbmi => unsafe { vbmi::skip_text(bytes, at) },
        }
    }

    /// Undoes escapes from `at` on, into `out` from `end` on. Returns how far it came in both; what it
    /// wrote beyond that is garbage.
    pub(super) fn unescape(
        self,
        bytes: &[u8],
        at: usize,
        out: &mut [u8],
        end: usize,
    ) -> (usize, usize) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `skip_text`.
            Loops::Avx2 => unsafe { avx2_text::unescape(bytes, at, out, end) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: likewise.
            Loops::Vbmi => unsafe { vbmi::unescape(bytes, at, out, end) },
        }
    }

    /// Decodes base64 from the beginning of `text` into that of `out`; returns how far it came in both.
    pub(super) fn base64(self, text: &[u8], out: &mut [u8]) -> (usize, usize) {
        match self.0 {
            // What base64-simd does with AVX2 is as fast.
            #[cfg(target_arch = "x86_64")]
            Loops::Avx2 => (0, 0),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `skip_text`.
            Loops::Vbmi => unsafe { vbmi::base64(text, out) },
        }
    }
}
