//! Pure: how long an event waits for its next attempt.

use std::time::Duration;

/// No limit of attempts or age by default: outages last days, and an event that waits is not lost.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    pub initial: Duration,
    pub maximum: Duration,
    /// A longer `Retry-After` is cut to this.
    pub retry_after_max: Duration,
    /// An event of so many attempts is dead-lettered.
    pub attempts_max: Option<u32>,
    /// Since the first attempt.
    pub age_max: Option<Duration>,
    /// Refusals with another event delivered after each.
    pub refused_alone_max: u32,
}

/// One event is little, and until it is tried nobody knows that the endpoint has recovered.
pub(super) const MOST_BETWEEN_PROBES: Duration = Duration::from_secs(2);

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            initial: Duration::from_millis(500),
            maximum: Duration::from_secs(60),
            retry_after_max: Duration::from_secs(24 * 60 * 60),
            attempts_max: None,
            age_max: None,
            refused_alone_max: 8,
        }
    }
}

impl RetryPolicy {
    /// Exponential with full jitter; `random` is from `0.0..1.0`.
    pub fn delay(&self, failures: u32, random: f64) -> Duration {
        self.bound(failures).mul_f64(random)
    }

    pub fn probe_delay(&self, failed_probes: u32, random: f64) -> Duration {
        let bound = self.bound(failed_probes).min(MOST_BETWEEN_PROBES);
        bound.mul_f64(0.5 + random / 2.0)
    }

    fn bound(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let doubled = self.initial.saturating_mul(1 << doublings);
        doubled.min(self.maximum)
    }

    pub fn is_exhausted(&self, attempts: u32, age: Duration) -> bool {
        self.attempts_max.is_some_and(|most| attempts >= most)
            || self.age_max.is_some_and(|most| age >= most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn waits_are_bounded(failures in 0u32.., random in 0.0..1.0f64) {
            let policy = RetryPolicy::default();
            prop_assert!(policy.delay(failures, random) <= policy.maximum);
            let pause = policy.probe_delay(failures, random);
            prop_assert!(pause >= policy.initial / 2 && pause <= MOST_BETWEEN_PROBES);
        }
    }

    #[test]
    fn bounds_double_from_half_a_second_to_a_minute() {
        let policy = RetryPolicy::default();
        for (failures, bound_ms) in [
            (1, 500),
            (2, 1_000),
            (3, 2_000),
            (7, 32_000),
            (8, 60_000),
            (4_000_000, 60_000),
        ] {
            assert_eq!(
                policy.delay(failures, 1.0),
                Duration::from_millis(bound_ms),
                "{failures}"
            );
            assert_eq!(policy.delay(failures, 0.0), Duration::ZERO);
        }
    }

    #[test]
    fn nothing_is_given_up_unless_the_user_says_so() {
        let age = Duration::from_secs(1_000_000);
        assert!(!RetryPolicy::default().is_exhausted(u32::MAX, age));
        let limited = RetryPolicy {
            attempts_max: Some(3),
            ..RetryPolicy::default()
        };
        assert!(!limited.is_exhausted(2, age));
        assert!(limited.is_exhausted(3, age));
    }
}
