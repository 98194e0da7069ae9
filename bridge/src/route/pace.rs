//! Pure: whether an endpoint may be sent anything now. Times count from the start of the route.
//!
//! The state holds no work: what waits stays in its lane, and behind that in the source.

use std::time::Duration;

use super::retry::RetryPolicy;

/// How an endpoint stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointState {
    /// Everything may go.
    Open,
    /// It asked for time (429, 503, `Retry-After`): nothing goes before `until`, then one probe.
    Slowed {
        /// The first moment of the probe.
        until: Duration,
    },
    /// It refuses us: nothing goes before `until`, then one probe, and an operator should look.
    Held {
        /// The first moment of the probe.
        until: Duration,
    },
    /// It said 410: nothing goes any more.
    Retired,
}

/// The pace of one endpoint.
#[derive(Debug)]
pub struct Pace {
    state: EndpointState,
    /// Slow-downs since the last success.
    slowdowns: u32,
    /// Failures of any kind since the last success.
    failures: u32,
    /// When it last took a parcel, or judged one.
    answered_at: Duration,
    /// When it last closed: answers to what was sent before say nothing new.
    closed_at: Duration,
}

/// So many failures in a row, over so long a silence, were an outage. A few events that keep failing
/// among others that succeed are none. After a shorter silence no wait has grown beyond a few seconds.
const FAILURES_OF_AN_OUTAGE: u32 = 3;
const SILENCE_OF_AN_OUTAGE: Duration = Duration::from_secs(2);

impl Pace {
    /// An open endpoint.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: EndpointState::Open,
            slowdowns: 0,
            failures: 0,
            answered_at: Duration::ZERO,
            closed_at: Duration::ZERO,
        }
    }

    /// How the endpoint stands.
    #[must_use]
    pub fn state(&self) -> EndpointState {
        self.state
    }

    /// Whether the last answer was a failure.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// Whether it has failed so often, for so long, that it is the endpoint and not an event.
    #[must_use]
    pub fn is_away(&self, now: Duration) -> bool {
        let is_silent = now.saturating_sub(self.answered_at) >= SILENCE_OF_AN_OUTAGE;
        self.failures >= FAILURES_OF_AN_OUTAGE && is_silent
    }

    /// Whether one more exchange may start, with `in_flight` of them under way.
    #[must_use]
    pub fn allows(&self, now: Duration, in_flight: usize) -> bool {
        match self.state {
            EndpointState::Open => true,
            EndpointState::Slowed { until } | EndpointState::Held { until } => {
                now >= until && in_flight == 0
            }
            EndpointState::Retired => false,
        }
    }

    /// When a closed endpoint may be probed.
    #[must_use]
    pub fn opens_at(&self) -> Option<Duration> {
        match self.state {
            EndpointState::Slowed { until } | EndpointState::Held { until } => Some(until),
            EndpointState::Open | EndpointState::Retired => None,
        }
    }

    /// The earliest moment at which it takes events: the start of the route when it is open, never when
    /// it is retired.
    #[must_use]
    pub fn takes_events_at(&self) -> Duration {
        match self.state {
            EndpointState::Open => Duration::ZERO,
            EndpointState::Slowed { until } | EndpointState::Held { until } => until,
            EndpointState::Retired => Duration::MAX,
        }
    }

    /// The endpoint took a parcel, or judged it on its merits. Returns true when that ends an outage.
    ///
    /// An answer to something sent before the endpoint closed changes nothing, however late it is.
    pub fn answered(&mut self, started: Duration, now: Duration) -> bool {
        let is_stale = self
            .opens_at()
            .is_some_and(|until| started < self.closed_at || now < until);
        if self.state == EndpointState::Retired || is_stale {
            return false;
        }
        let was_away = matches!(self.state, EndpointState::Held { .. }) || self.is_away(now);
        (self.state, self.failures, self.slowdowns) = (EndpointState::Open, 0, 0);
        self.answered_at = now;
        was_away
    }

    /// An attempt failed without a word about the endpoint as a whole.
    pub fn failed(&mut self, now: Duration, policy: &RetryPolicy) {
        self.failures = self.failures.saturating_add(1);
        // A failed probe says that the reason to wait still stands.
        match self.state {
            EndpointState::Slowed { until } if now >= until => {
                self.state = EndpointState::Slowed {
                    until: now + policy.initial,
                };
            }
            EndpointState::Held { until } if now >= until => {
                self.state = EndpointState::Held {
                    until: now + policy.maximum,
                };
            }
            _ => {}
        }
    }

    /// The endpoint asked for time. `started` is when the attempt began: only the first of a volley
    /// of like answers lengthens the back-off, but every floor is kept.
    pub fn slow_down(
        &mut self,
        started: Duration,
        now: Duration,
        floor: Option<Duration>,
        policy: &RetryPolicy,
        random: f64,
    ) {
        self.failures = self.failures.saturating_add(1);
        if started >= self.closed_at {
            self.slowdowns = self.slowdowns.saturating_add(1);
        }
        self.closed_at = now;
        let wanted = now + policy.probe_delay(self.slowdowns, floor, random);
        self.state = match self.state {
            EndpointState::Open => EndpointState::Slowed { until: wanted },
            EndpointState::Slowed { until } => EndpointState::Slowed {
                until: until.max(wanted),
            },
            EndpointState::Held { until } => EndpointState::Held {
                until: until.max(wanted),
            },
            EndpointState::Retired => EndpointState::Retired,
        };
    }

    /// Somebody must act before the endpoint takes anything.
    pub fn hold(&mut self, now: Duration, floor: Option<Duration>, policy: &RetryPolicy) {
        self.failures = self.failures.saturating_add(1);
        self.closed_at = now;
        if self.state != EndpointState::Retired {
            let floor = floor.unwrap_or_default().min(policy.retry_after_max);
            let wanted = now + policy.maximum.max(floor);
            let until = self.opens_at().unwrap_or_default().max(wanted);
            self.state = EndpointState::Held { until };
        }
    }

    /// The endpoint is gone for good.
    pub fn retire(&mut self) {
        self.state = EndpointState::Retired;
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn slowed(floor: Duration) -> Pace {
        let mut pace = Pace::new();
        pace.slow_down(
            Duration::ZERO,
            SECOND,
            Some(floor),
            &RetryPolicy::default(),
            0.0,
        );
        pace
    }

    #[test]
    fn nothing_goes_before_the_floor_and_then_one_probe() {
        let pace = slowed(7 * SECOND);
        assert!(!pace.allows(8 * SECOND - Duration::from_nanos(1), 0));
        assert!(pace.allows(8 * SECOND, 0));
        assert!(!pace.allows(8 * SECOND, 1));
    }

    #[test]
    fn a_shorter_floor_of_the_same_volley_does_not_shorten_the_wait() {
        let mut pace = slowed(7 * SECOND);
        pace.slow_down(
            Duration::ZERO,
            SECOND,
            Some(2 * SECOND),
            &RetryPolicy::default(),
            0.0,
        );
        assert_eq!(pace.opens_at(), Some(8 * SECOND));
    }

    #[test]
    fn a_volley_counts_once() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        for _ in 0..64 {
            pace.slow_down(Duration::ZERO, SECOND, None, &policy, 1.0);
        }
        assert_eq!(pace.opens_at(), Some(SECOND + policy.initial));
    }

    #[test]
    fn an_endpoint_that_asks_for_time_again_and_again_is_probed_every_few_seconds() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        let mut now = SECOND;
        for _ in 0..100 {
            pace.slow_down(now, now, None, &policy, 1.0);
            let opens_at = pace.opens_at().unwrap_or_default();
            assert!(opens_at <= now + 4 * SECOND, "{now:?}: {opens_at:?}");
            now = opens_at;
        }
        pace.slow_down(now, now, Some(60 * SECOND), &policy, 0.0);
        assert_eq!(pace.opens_at(), Some(now + 60 * SECOND));
    }

    #[test]
    fn a_success_opens_and_tells_that_an_outage_ended() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        assert!(!pace.answered(SECOND, SECOND));
        for failure in 2..7 {
            pace.failed(failure * SECOND, &policy);
        }
        assert!(pace.answered(7 * SECOND, 7 * SECOND));
        assert!(!pace.answered(7 * SECOND, 7 * SECOND));
    }

    #[test]
    fn an_outage_of_seconds_is_one() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        assert!(!pace.answered(SECOND, SECOND));
        (0..3).for_each(|_| pace.failed(2 * SECOND, &policy));
        assert!(pace.answered(4 * SECOND, 4 * SECOND));
    }

    #[test]
    fn events_that_keep_failing_among_others_are_no_outage() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        for second in 1..60 {
            let now = second * SECOND;
            (0..3).for_each(|_| pace.failed(now, &policy));
            assert!(!pace.answered(now, now), "{second}");
        }
        // Nor is one that is answered with 503: it would end its own back-off.
        pace.slow_down(60 * SECOND, 60 * SECOND, None, &policy, 0.5);
        assert!(!pace.answered(61 * SECOND, 61 * SECOND));
        assert!(pace.allows(61 * SECOND, 63));
    }

    #[test]
    fn a_late_success_does_not_cut_a_wait_short() {
        let mut pace = slowed(7 * SECOND);
        assert!(!pace.answered(Duration::ZERO, 2 * SECOND));
        assert!(!pace.allows(2 * SECOND, 0));
        // It was sent before the endpoint closed, so it is no probe, even after the wait.
        assert!(!pace.answered(Duration::ZERO, 9 * SECOND));
        assert!(!pace.allows(9 * SECOND, 1));
    }

    #[test]
    fn a_held_endpoint_keeps_a_longer_floor() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        pace.hold(SECOND, Some(3_600 * SECOND), &policy);
        assert_eq!(pace.opens_at(), Some(3_601 * SECOND));
    }

    #[test]
    fn a_held_endpoint_is_probed_at_the_cap_until_it_answers() {
        let policy = RetryPolicy::default();
        let mut pace = Pace::new();
        pace.hold(SECOND, None, &policy);
        assert!(!pace.allows(60 * SECOND, 0));
        assert!(pace.allows(61 * SECOND, 0));
        pace.failed(62 * SECOND, &policy);
        assert_eq!(
            pace.state(),
            EndpointState::Held {
                until: 122 * SECOND
            }
        );
        pace.answered(122 * SECOND, 122 * SECOND);
        assert_eq!(pace.state(), EndpointState::Open);
    }

    #[test]
    fn a_retired_endpoint_stays_so() {
        let mut pace = Pace::new();
        pace.retire();
        pace.hold(SECOND, None, &RetryPolicy::default());
        pace.answered(SECOND, SECOND);
        assert!(!pace.allows(1_000_000 * SECOND, 0));
    }
}
