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
