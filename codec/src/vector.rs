//! The one place for vector code that the compiler does not choose by itself, and for `unsafe`.
//!
//! [`VectorLoops`] go as far as they are sure and say how far that is. The safe code that called them goes on
//! from there, and alone refuses, so that a verdict never depends on the processor. The answers of
//! [`unescape`], [`decode_base64`] and [`verbatim`] are the same on every processor, and [`prefetch`]
//! changes nothing but the time. Nothing here knows of events.
//!
//! A build with `--cfg cenl_portable`, as the package `codec/portable` is, has what every processor of its platform
//! can run, and no loops.
#![allow(
    unsafe_code,
    reason = "intrinsics that load from memory, and calls guarded by run-time detection"
)]

#[cfg(any(not(target_arch = "x86_64"), cenl_portable))]
mod portable;
pub(crate) mod unescape;
pub(crate) mod verbatim;
#[cfg(all(target_arch = "x86_64", not(cenl_portable)))]
mod x86_64;

use base64_simd::{Out, STANDARD};

#[cfg(any(not(target_arch = "x86_64"), cenl_portable))]
pub(crate) use portable::VectorLoops;
#[cfg(all(target_arch = "x86_64", not(cenl_portable)))]
pub(crate) use x86_64::VectorLoops;

impl VectorLoops {
    /// The fastest that this processor has.
    pub(crate) fn detect() -> Option<Self> {
        Self::each().find_map(|(_, loops)| loops)
    }
}

/// The bytes that `text` stands for (RFC 4648, section 4); `None` where it is not base64 with its padding and nothing
/// else. Blocks are decoded where the processor can, the rest by base64-simd.
pub(crate) fn decode_base64(loops: Option<VectorLoops>, text: &[u8]) -> Option<Vec<u8>> {
    let length = STANDARD.decoded_length(text).ok()?;
    let mut out = vec![0; length];
    let (read, written) = loops.map_or((0, 0), |loops| loops.base64(text, &mut out));
    let text = text.get(read..)?;
    let rest = out.get_mut(written..)?;
    STANDARD.decode(text, Out::from_slice(rest)).ok()?;
    Some(out)
}

/// Asks for the first cache lines of `bytes`, so that the parts of a message are not waited for one by one.
#[inline(always)]
pub(crate) fn prefetch<const LINES: usize>(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64).take(LINES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it is a hint, which reads nothing and never faults; SSE belongs to the platform.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests;
