//! Asks for memory before it is needed.

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// Fetches the first cache lines of `bytes`, so that the parts of a message are not waited for one by one.
#[inline(always)]
pub(crate) fn prefetch<const LINES: usize>(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(CACHE_LINE).take(LINES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it is a hint, which reads nothing and never faults; SSE belongs to the platform.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, CACHE_LINE, LINES);
}
