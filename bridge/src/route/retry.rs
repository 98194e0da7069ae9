//! Pure: how long an event waits for its next attempt.

use std::time::Duration;

/// Back-off between attempts. Attempts and age have no limit unless the user sets one: outages
/// last days, and an event that waits is not lost.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    /// Upper bound of the first wait.
    pub initial: Duration,
    /// Upper bound of every wait; also the pause between probes of a held endpoint.
    pub maximum: Duration,
    /// Most that a `Retry-After` may ask for; a longer one is cut to this.
    pub retry_after_max: Duration,
    /// Attempts after which an event is dead-lettered.
    pub attempts_max: Option<u32>,
    /// Age since the first attempt after which an event is dead-lettered.
    pub age_max: Option<Duration>,
}

/// The longest pause between probes of an endpoint that asks for time without saying how much.
const MOST_BETWEEN_PROBES: Duration = Duration::from_secs(4);

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            initial: Duration::from_millis(500),
            maximum: Duration::from_secs(60),
            retry_after_max: Duration::from_secs(24 * 60 * 60),
            attempts_max: None,
            age_max: None,
        }
    }
}

impl RetryPolicy {
    /// The wait after `attempts` failed attempts: exponential with full jitter, where `random` is
    /// from `0.0..1.0`. A floor is never undercut: jitter is added to it.
    #[must_use]
    pub fn delay(&self, attempts: u32, floor: Option<Duration>, random: f64) -> Duration {
        self.delay_below(self.maximum, attempts, floor, random)
    }

    /// The same for an endpoint that asked for time `slowdowns` times: what ends its wait is one
    /// event, which a receiver can bear more often than the attempts of all events, and until it is
    /// tried nobody knows that it has recovered.
    #[must_use]
    pub fn probe_delay(&self, slowdowns: u32, floor: Option<Duration>, random: f64) -> Duration {
        let maximum = self.maximum.min(MOST_BETWEEN_PROBES);
        self.delay_below(maximum, slowdowns, floor, random)
    }

    fn delay_below(
        &self,
        maximum: Duration,
        attempts: u32,
        floor: Option<Duration>,
        random: f64,
    ) -> Duration {
        let doublings = attempts.saturating_sub(1).min(31);
        let bound = self.initial.saturating_mul(1 << doublings).min(maximum);
        let floor = floor.unwrap_or_default().min(self.retry_after_max);
        floor + bound.mul_f64(random)
    }

    /// Whether an event that has failed so often, for so long, is given up.
    #[must_use]
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
        fn a_delay_is_bounded_and_never_below_its_floor(
            attempts in 0u32.., floor_ms in proptest::option::of(0u64..200_000_000), random in 0.0..1.0f64,
        ) {
            let policy = RetryPolicy::default();
            let floor = floor_ms.map(Duration::from_millis);
            let delay = policy.delay(attempts, floor, random);
            let kept = floor.unwrap_or_default().min(policy.retry_after_max);
            prop_assert!(delay >= kept);
            prop_assert!(delay <= kept + policy.maximum);
        }
    }

    #[test]
    fn bounds_double_from_half_a_second_to_a_minute() {
        let policy = RetryPolicy::default();
        for (attempts, bound_ms) in [
            (1, 500),
            (2, 1_000),
            (3, 2_000),
            (7, 32_000),
            (8, 60_000),
            (4_000_000, 60_000),
        ] {
            assert_eq!(
                policy.delay(attempts, None, 1.0),
                Duration::from_millis(bound_ms),
                "{attempts}"
            );
            assert_eq!(policy.delay(attempts, None, 0.0), Duration::ZERO);
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
