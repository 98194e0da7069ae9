//! What this processor has of vector code, asked for once and kept.

use std::sync::atomic::{AtomicU8, Ordering};

/// Kinds of processors. Each has what those before it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Processor {
    /// What the compiler may take for granted, and no more.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Vbmi,
}

/// The number of the kind to take this processor for, or one of no kind until that is asked for.
static CURRENT: AtomicU8 = AtomicU8::new(u8::MAX);

impl Processor {
    #[cfg(target_arch = "x86_64")]
    pub(super) const EACH: [Self; 4] = [Self::Plain, Self::Avx2, Self::Avx512, Self::Vbmi];
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const EACH: [Self; 1] = [Self::Plain];

    /// The kind of this processor, or a lesser one if vector code is forbidden.
    ///
    /// A relaxed load is enough: whatever was stored is right at any time.
    #[inline(always)]
    pub(super) fn current() -> Self {
        let number = usize::from(CURRENT.load(Ordering::Relaxed));
        match Self::EACH.get(number) {
            Some(kind) => *kind,
            None => Self::first(),
        }
    }

    /// What was forbidden in the meantime is a lower number, and stays.
    #[cold]
    fn first() -> Self {
        let kind = Self::detect();
        CURRENT.fetch_min(kind as u8, Ordering::Relaxed);
        kind
    }

    /// Takes this processor for no more than that kind from now on.
    pub(super) fn take_for(most: Self) {
        let kind = Self::detect().min(most);
        CURRENT.store(kind as u8, Ordering::Relaxed);
    }

    /// Every feature that a function of a kind is compiled for, word for word.
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("pclmulqdq")
                && is_x86_feature_detected!("popcnt");
            let has_avx512 =
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            let has_vbmi =
                is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
            match (has_avx2, has_avx512, has_vbmi) {
                (true, true, true) => Self::Vbmi,
                (true, true, false) => Self::Avx512,
                (true, false, _) => Self::Avx2,
                (false, ..) => Self::Plain,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Self::Plain
    }
}
