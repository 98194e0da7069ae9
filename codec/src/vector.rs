//! The one place for vector code that the compiler does not choose by itself, and for `unsafe`.
//!
//! [`skip_container`] and [`loops`] accept, or have no opinion: the caller goes on with safe code from there,
//! which alone refuses, so that a verdict never depends on the processor. The answers of [`unescape`],
//! [`base64`], [`ascii`] and [`verbatim`] are the same on every processor, and [`prefetch`] changes nothing
//! but the time. Nothing here knows of events.
#![allow(
    unsafe_code,
    reason = "intrinsics that load from memory, and calls guarded by run-time detection"
)]

pub(crate) mod ascii;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_text;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod base64;
mod escapes;
#[cfg(target_arch = "x86_64")]
mod grammar;
mod instruction_set;
pub(crate) mod loops;
#[cfg(target_arch = "x86_64")]
mod nesting;
pub(crate) mod prefetch;
pub(crate) mod unescape;
#[cfg(target_arch = "x86_64")]
mod vbmi;
pub(crate) mod verbatim;

use instruction_set::InstructionSet;

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
    /// Each of them, the safe path last.
    pub const EACH: [Self; 3] = [Self::Nothing, Self::Avx512, Self::All];
}

/// Says for the whole process what vector code is not to run. For tests and benchmarks, which hold the
/// paths against each other.
#[doc(hidden)]
pub fn forbid_vectors(forbidden: Forbidden) {
    InstructionSet::limit_to(match forbidden {
        #[cfg(target_arch = "x86_64")]
        Forbidden::Nothing => InstructionSet::Avx512Vbmi,
        #[cfg(target_arch = "x86_64")]
        Forbidden::Avx512 => InstructionSet::Avx2,
        _ => InstructionSet::Baseline,
    });
}

/// Where the object or array at `at` ends, if it is surely valid and nested no deeper than `depth_max`; `None`
/// is no opinion.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, reason = "no walk, so nobody reads what it is given")
)]
#[inline]
pub(crate) fn skip_container(bytes: &[u8], at: usize, depth_max: usize) -> Option<usize> {
    match InstructionSet::current() {
        InstructionSet::Baseline => None,
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the set that the function is compiled for, as `detect` has asked.
        InstructionSet::Avx2 => unsafe { avx2::skip_container(bytes, at, depth_max) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: likewise; the second set holds the first.
        InstructionSet::Avx512 | InstructionSet::Avx512Vbmi => unsafe {
            avx512::skip_container(bytes, at, depth_max)
        },
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
