//! The one place for vector code that the compiler does not choose by itself, and for `unsafe`.
//!
//! [`skip_container`] and [`blocks`] accept, or have no opinion: whoever asks goes on with the safe path from
//! there, and that path alone refuses, so that a verdict never depends on the processor; they do not
//! allocate. [`unescape`] and [`base64`] say the same on every processor, allocate what they return, and
//! refuse half surrogate pairs and what is not Base64. [`ascii`] and [`quoted`] call text what they have
//! looked at, with the same answer on every processor. [`prefetch`] changes nothing but the time. All of it
//! knows JSON, UTF-8 and Base64, and nothing of events.
#![allow(
    unsafe_code,
    reason = "intrinsics that load from memory, and calls behind run-time detection"
)]

/// Defines the walk for one kind of processor, with its own `masks`. A function that took them as a
/// closure would be compiled for lesser processors.
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
use define_skip_container;

pub(crate) mod ascii;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_text;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod base64;
pub(crate) mod blocks;
mod escapes;
#[cfg(target_arch = "x86_64")]
mod grammar;
#[cfg(target_arch = "x86_64")]
mod levels;
pub(crate) mod prefetch;
mod processor;
pub(crate) mod quoted;
pub(crate) mod unescape;
#[cfg(target_arch = "x86_64")]
mod vbmi;

use processor::Processor;

/// Bytes below which setting up costs more than it saves.
pub(crate) const WORTHWHILE: usize = 256;

/// Vector code that is not to run, though the processor could.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Forbidden {
    /// None.
    Nothing,
    /// What needs AVX-512.
    Avx512,
    /// All: the safe path.
    All,
}

impl Forbidden {
    /// Every level, the safe path last.
    pub const EACH: [Self; 3] = [Self::Nothing, Self::Avx512, Self::All];
}

/// Says for the whole process what vector code is not to run. For tests and benchmarks, which hold the
/// paths against each other.
#[doc(hidden)]
pub fn forbid_vectors(forbidden: Forbidden) {
    Processor::take_for(match forbidden {
        #[cfg(target_arch = "x86_64")]
        Forbidden::Nothing => Processor::Vbmi,
        #[cfg(target_arch = "x86_64")]
        Forbidden::Avx512 => Processor::Avx2,
        _ => Processor::Plain,
    });
}

/// Walks over the object or array that starts at `at`, nested no deeper than `levels`. Returns where it
/// ends if it is valid beyond doubt; `None` says nothing.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, reason = "no walk, so nobody reads what it is given")
)]
#[inline]
pub(crate) fn skip_container(bytes: &[u8], at: usize, levels: usize) -> Option<usize> {
    match Processor::current() {
        Processor::Plain => None,
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a processor of this kind has what the function is compiled for, as `detect` has asked.
        Processor::Avx2 => unsafe { avx2::skip_container(bytes, at, levels) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: likewise; the second kind has what the first has.
        Processor::Avx512 | Processor::Vbmi => unsafe { avx512::skip_container(bytes, at, levels) },
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
