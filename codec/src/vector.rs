//! The one place for vector code that the compiler does not choose by itself, and for `unsafe`.
//!
//! [`skip_container`] accepts, or has no opinion: whoever asks goes on with the safe path when the answer
//! is `None`, and that path alone refuses, so that a verdict never depends on the processor; it does not
//! allocate. [`unescape`] is the same on every processor, allocates what it returns, and refuses half
//! surrogate pairs. Both know JSON and UTF-8, and nothing of events.
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

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod grammar;
#[cfg(target_arch = "x86_64")]
mod levels;
pub(crate) mod unescape;

use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes below which setting up costs more than it saves.
pub(crate) const WORTHWHILE: usize = 256;

/// Vector code that is not to run, though the processor could.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
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

static FORBIDDEN: AtomicU8 = AtomicU8::new(Forbidden::Nothing as u8);

/// Says for the whole process what vector code is not to run. For tests and benchmarks, which hold the
/// paths against each other.
#[doc(hidden)]
pub fn forbid_vectors(forbidden: Forbidden) {
    FORBIDDEN.store(forbidden as u8, Ordering::Relaxed);
}

/// A relaxed load is enough: either answer is right at any time.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_forbidden(level: Forbidden) -> bool {
    FORBIDDEN.load(Ordering::Relaxed) >= level as u8
}

/// Whether vector code may run here: the features of `avx2::skip_container`, word for word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && !is_forbidden(Forbidden::All)
}

/// The features of `avx512::skip_container`, word for word, that `has_avx2` does not ask for.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && !is_forbidden(Forbidden::Avx512)
}

/// Walks over the object or array that starts at `at`, nested no deeper than `levels`. Returns where it
/// ends if it is valid beyond doubt; `None` says nothing.
#[inline]
pub(crate) fn skip_container(bytes: &[u8], at: usize, levels: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has what the functions are compiled for, because `has_avx2` and
        // `has_avx512` ask for each feature in the lists at `define_skip_container!` in their modules.
        return unsafe {
            if has_avx512() {
                avx512::skip_container(bytes, at, levels)
            } else {
                avx2::skip_container(bytes, at, levels)
            }
        };
    }
    let _ = (bytes, at, levels);
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
