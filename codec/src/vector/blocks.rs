//! Loops over blocks of text, for those who hold the proof that the processor has what they need.
//!
//! Each goes as far as it is sure and says how far that is. The safe code that called it goes on from
//! there, and alone refuses.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, reason = "no loop, so nobody reads what it is given")
)]

use super::processor::Processor;
#[cfg(target_arch = "x86_64")]
use super::{avx2_text, vbmi};

/// The proof, to be asked for once per text and not per block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks(Loops);

/// Which loops.
#[derive(Clone, Copy, Debug)]
enum Loops {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Vbmi,
}

impl Blocks {
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        Self::of(Processor::current())
    }

    /// That kind must be one that this processor is of, or can do for.
    #[inline]
    fn of(kind: Processor) -> Option<Self> {
        match kind {
            Processor::Plain => None,
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 | Processor::Avx512 => Some(Self(Loops::Avx2)),
            #[cfg(target_arch = "x86_64")]
            Processor::Vbmi => Some(Self(Loops::Vbmi)),
        }
    }

    /// Every proof that this processor gives, and none at all, which leaves all to the safe code.
    #[cfg(all(test, target_arch = "x86_64"))]
    pub(super) fn each() -> impl Iterator<Item = Option<Self>> {
        let kinds = [Processor::Vbmi, Processor::Avx2, Processor::Plain];
        let has = |kind: &Processor| *kind <= Processor::current();
        kinds.into_iter().filter(has).map(Self::of)
    }

    /// Walks over the inside of a string from `at`, where no byte is escaped. Returns a place up to which
    /// all is text and escapes, and where no byte is escaped either.
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
    /// wrote behind the second means nothing.
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
