//! Asks for memory before it is needed.

/// What a processor fetches at once.
const LINE: usize = 64;

/// Has the processor fetch the first lines of `bytes` into its caches, while it goes on with something else.
///
/// The parts of a message lie wherever a client put them, and were written some time ago. Without this, each
/// is waited for in its turn.
#[inline(always)]
pub(crate) fn prefetch<const LINES: usize>(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE).take(LINES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it is a hint, which reads nothing and never faults; SSE belongs to the platform.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, LINE, LINES);
}
