//! Loops over blocks of text, compiled for what a processor has beyond its platform.

mod avx2;
mod escapes;
mod vbmi;

/// Proof that [`has_avx2`] was true, asked for once and not per block. Only detection makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VectorLoops {
    /// Whether [`has_vbmi`] was too.
    with_vbmi: bool,
}

impl VectorLoops {
    /// Every way to read that this processor has, with its name: the fastest first, and last the one without loops.
    pub(crate) fn each() -> impl Iterator<Item = (&'static str, Option<Self>)> {
        let avx2 = has_avx2().then_some(Self { with_vbmi: false });
        let vbmi = (avx2.is_some() && has_vbmi()).then_some(Self { with_vbmi: true });
        let ways = [("AVX-512 with VBMI", vbmi), ("AVX2", avx2)].into_iter();
        ways.filter(|(_, loops)| loops.is_some())
            .chain([("safe", None)])
    }

    /// Walks over the inside of a string from `at`; returns a place up to which all is text and whole escapes.
    pub(crate) fn skip_text(self, bytes: &[u8], at: usize) -> usize {
        // SAFETY: such a value is only made where `has_avx2` was true, and says so only where `has_vbmi` was.
        match self.with_vbmi {
            true => unsafe { vbmi::skip_text(bytes, at) },
            false => unsafe { avx2::skip_text(bytes, at) },
        }
    }

    /// Undoes escapes from the beginning of `text` into that of `out`; returns how far it came in both. What it wrote
    /// beyond that is garbage.
    pub(super) fn unescape(self, text: &[u8], out: &mut [u8]) -> (usize, usize) {
        // SAFETY: as in `skip_text`.
        match self.with_vbmi {
            true => unsafe { vbmi::unescape(text, out) },
            false => unsafe { avx2::unescape(text, out) },
        }
    }

    /// Decodes base64 from the beginning of `text` into that of `out`; returns how far it came in both.
    pub(super) fn base64(self, text: &[u8], out: &mut [u8]) -> (usize, usize) {
        if !self.with_vbmi {
            // What base64-simd does with AVX2 is as fast.
            return (0, 0);
        }
        // SAFETY: as in `skip_text`.
        unsafe { vbmi::base64(text, out) }
    }
}

/// Whether there is every feature that a function of `avx2` is compiled for.
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Likewise for `vbmi`.
fn has_vbmi() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("popcnt")
}
