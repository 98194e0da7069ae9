//! The instruction set that vector code may use on this processor, detected once and kept.

use std::sync::atomic::{AtomicU8, Ordering};

/// In ascending order: each set has all instructions of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InstructionSet {
    /// What every processor of the platform has.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Vbmi,
}

/// The number of the set, or one of no set until it is asked for.
static CURRENT: AtomicU8 = AtomicU8::new(u8::MAX);

impl InstructionSet {
    #[cfg(target_arch = "x86_64")]
    pub(super) const EACH: [Self; 4] = [Self::Baseline, Self::Avx2, Self::Avx512, Self::Avx512Vbmi];
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const EACH: [Self; 1] = [Self::Baseline];

    /// The set of this processor, or a smaller one if vector code is forbidden.
    ///
    /// A relaxed load is enough: whatever was stored is right at any time.
    #[inline(always)]
    pub(super) fn current() -> Self {
        let number = usize::from(CURRENT.load(Ordering::Relaxed));
        match Self::EACH.get(number) {
            Some(set) => *set,
            None => Self::detect_and_keep(),
        }
    }

    /// A lower number is kept: somebody forbade vector code in the meantime.
    #[cold]
    fn detect_and_keep() -> Self {
        let set = Self::detect();
        CURRENT.fetch_min(set as u8, Ordering::Relaxed);
        set
    }

    /// Uses no more than that set from now on.
    pub(super) fn limit_to(max: Self) {
        let set = Self::detect().min(max);
        CURRENT.store(set as u8, Ordering::Relaxed);
    }

    /// Asks for every feature that a function of a set is compiled for.
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
                (true, true, true) => Self::Avx512Vbmi,
                (true, true, false) => Self::Avx512,
                (true, false, _) => Self::Avx2,
                (false, ..) => Self::Baseline,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Self::Baseline
    }
}
