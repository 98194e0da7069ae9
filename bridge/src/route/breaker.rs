//! Pure: the circuit breaker of an endpoint. While it is open nothing goes but one probe at a time.
//! Times count from the start of the route.
//!
//! It holds no work: what waits stays in its lane, and behind that in the source.

use std::time::Duration;

use super::retry::RetryPolicy;

/// How an endpoint stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuit {
    /// Everything may go.
    Closed,
    /// Nothing goes until the next probe.
    Open,
    /// A probe is under way.
    HalfOpen,
    /// It is gone for good: nothing goes any more.
    Retired,
}

/// An attempt that delivered nothing.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Whether it was the probe of an open circuit.
    pub is_probe: bool,
    /// Whether the event may be at fault: such a failure opens nothing by itself.
    pub may_be_the_event: bool,
    /// What `Retry-After` asked for.
    pub retry_after: Option<Duration>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct CircuitBreaker {
    opened_at: Option<Duration>,
    is_probing: bool,
    is_retired: bool,
    /// Probes that failed since it opened.
    failed_probes: u32,
    next_probe: Duration,
    /// When what has failed may be tried again.
    next_repeat: Duration,
    /// What `Retry-After` asked for is over then.
    floor: Duration,
    /// Failures since the last answer that was none, and when the first of them was.
    failures: u32,
    failing_since: Option<Duration>,
    gone_since: Option<Duration>,
}

/// So many failures in a row are the endpoint's, whatever it answers: events that fail among others that
/// succeed are never so many. Over a time, a few are enough.
const MANY_FAILURES: u32 = 10;
const FEW_FAILURES: u32 = 3;
const TIME_OF_AN_OUTAGE: Duration = Duration::from_secs(2);
/// An event that is answered with 410 for so long, with none delivered meanwhile, speaks for the endpoint.
const GONE_FOR_GOOD: Duration = Duration::from_secs(60);

impl CircuitBreaker {
    /// How the endpoint stands.
    #[must_use]
    pub fn circuit(&self) -> Circuit {
        match self.opened_at {
            _ if self.is_retired => Circuit::Retired,
            None => Circuit::Closed,
            Some(_) if self.is_probing => Circuit::HalfOpen,
            Some(_) => Circuit::Open,
        }
    }

    /// Whether a probe failed, or was asked to wait, so that it is no single event that failed.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        let is_open = |at| self.failed_probes > 0 || self.floor > at;
        self.opened_at.is_some_and(is_open)
    }

    /// When the next exchange may start, unless a probe is under way: of a lane that has failed since the
    /// circuit opened, or of another.
    #[must_use]
    pub fn opens_at(&self, has_failed: bool) -> Duration {
        match self.circuit() {
            Circuit::Closed => Duration::ZERO,
            Circuit::Open | Circuit::HalfOpen if has_failed => self.next_repeat,
            Circuit::Open | Circuit::HalfOpen => self.next_probe,
            Circuit::Retired => Duration::MAX,
        }
    }

    /// A probe starts, or is over; what it came to is told next.
    pub fn set_probing(&mut self, is_probing: bool) {
        self.is_probing = is_probing;
    }

    /// The endpoint took what was sent at `started`, or refused it for what it is. Says since when the
    /// circuit was open, if that closes it.
    ///
    /// An answer to something sent before it opened says nothing new, and none ends a `Retry-After`.
    pub fn answered(
        &mut self,
        started: Duration,
        now: Duration,
        is_delivery: bool,
    ) -> Option<Duration> {
        let is_stale = self.opened_at.is_some_and(|at| started < at);
        if self.is_retired || is_stale || now < self.floor {
            return None;
        }
        (self.failures, self.failing_since, self.failed_probes) = (0, None, 0);
        if is_delivery {
            self.gone_since = None;
        }
        self.opened_at.take()
    }

    /// An attempt failed. The first probe goes at once, if it is of another lane; a probe that fails puts
    /// off the next.
    pub fn failed(&mut self, failure: Failure, now: Duration, policy: &RetryPolicy, random: f64) {
        self.failures = self.failures.saturating_add(1);
        let since = *self.failing_since.get_or_insert(now);
        if let Some(wanted) = failure.retry_after {
            let wanted = now + wanted.min(policy.retry_after_max);
            self.floor = self.floor.max(wanted);
        }
        if self.opened_at.is_none() {
            let is_long = now - since >= TIME_OF_AN_OUTAGE;
            let is_outage =
                self.failures >= MANY_FAILURES || self.failures >= FEW_FAILURES && is_long;
            if failure.may_be_the_event && !is_outage {
                return;
            }
            // What failed before it opened failed for the same reason, if it takes many to open it.
            self.opened_at = Some(if failure.may_be_the_event { since } else { now });
            (self.failed_probes, self.next_probe) = (0, now);
            self.next_repeat = now + policy.probe_delay(1, random);
        } else if failure.is_probe {
            self.failed_probes = self.failed_probes.saturating_add(1);
            self.next_probe = now + policy.probe_delay(self.failed_probes, random);
            self.next_repeat = self.next_probe;
        }
        self.next_probe = self.next_probe.max(self.floor);
        self.next_repeat = self.next_repeat.max(self.floor);
    }

    /// An event was answered with 410, and `is_same` when it was before. Whether that confirms it: another
    /// event says so too, or the same one a minute later, with none delivered between.
    pub fn says_gone(&mut self, is_same: bool, now: Duration) -> bool {
        match self.gone_since {
            Some(since) => !is_same || now - since >= GONE_FOR_GOOD,
            None => {
                self.gone_since = Some(now);
                false
            }
        }
    }

    /// The endpoint is gone for good.
    pub fn retire(&mut self) {
        self.is_retired = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn fail(breaker: &mut CircuitBreaker, now: Duration, is_probe: bool, may_be_the_event: bool) {
        let failure = Failure {
            is_probe,
            may_be_the_event,
            retry_after: None,
        };
        breaker.failed(failure, now, &RetryPolicy::default(), 1.0);
    }

    /// Fails so many probes, each as soon as it may go; when the next one may.
    fn probe(breaker: &mut CircuitBreaker, probes: usize) -> Duration {
        for _ in 0..probes {
            let at = breaker.opens_at(true);
            breaker.set_probing(true);
            assert_eq!(breaker.circuit(), Circuit::HalfOpen);
            breaker.set_probing(false);
            fail(breaker, at, true, false);
        }
        breaker.opens_at(true)
    }

    #[test]
    fn the_first_failure_of_the_endpoint_opens_it_and_another_lane_probes_at_once() {
        let mut breaker = CircuitBreaker::default();
        assert_eq!(breaker.opens_at(true), Duration::ZERO);
        fail(&mut breaker, SECOND, false, false);
        assert_eq!(breaker.circuit(), Circuit::Open);
        assert!(!breaker.is_confirmed());
        assert_eq!(breaker.opens_at(false), SECOND);
        assert_eq!(breaker.opens_at(true), SECOND + SECOND / 2);
        breaker.set_probing(true);
        breaker.set_probing(false);
        fail(&mut breaker, SECOND, true, true);
        assert!(breaker.is_confirmed());
        assert_eq!(breaker.opens_at(false), SECOND + SECOND / 2);
    }

    #[test]
    fn the_pause_between_probes_grows_to_two_seconds() {
        let mut breaker = CircuitBreaker::default();
        fail(&mut breaker, SECOND, false, false);
        let mut before = probe(&mut breaker, 5);
        for _ in 0..100 {
            let next = probe(&mut breaker, 1);
            assert_eq!(next - before, 2 * SECOND);
            before = next;
        }
    }

    #[test]
    fn failures_of_events_open_it_only_in_a_row_and_over_time() {
        let mut breaker = CircuitBreaker::default();
        for second in 1..60 {
            let now = second * SECOND;
            (0..9).for_each(|_| fail(&mut breaker, now, false, true));
            assert_eq!(breaker.answered(now, now, true), None);
            assert_eq!(breaker.circuit(), Circuit::Closed);
        }
        for second in [60, 61, 62] {
            assert_eq!(breaker.circuit(), Circuit::Closed);
            fail(&mut breaker, second * SECOND, false, true);
        }
        assert_eq!(breaker.circuit(), Circuit::Open);
        // What failed first failed for the same reason.
        let opened_at = breaker.answered(63 * SECOND, 63 * SECOND, true);
        assert_eq!(opened_at, Some(60 * SECOND));
    }

    #[test]
    fn an_answer_to_what_was_sent_before_it_opened_closes_nothing() {
        let mut breaker = CircuitBreaker::default();
        fail(&mut breaker, 2 * SECOND, false, false);
        assert_eq!(breaker.answered(SECOND, 3 * SECOND, true), None);
        assert_eq!(breaker.circuit(), Circuit::Open);
        let opened_at = breaker.answered(2 * SECOND, 3 * SECOND, true);
        assert_eq!(opened_at, Some(2 * SECOND));
        assert_eq!(breaker.circuit(), Circuit::Closed);
    }

    #[test]
    fn the_longest_retry_after_is_a_floor_within_its_bound() {
        let mut breaker = CircuitBreaker::default();
        let mut ask = |now, seconds| {
            let failure = Failure {
                is_probe: false,
                may_be_the_event: false,
                retry_after: Some(seconds * SECOND),
            };
            breaker.failed(failure, now, &RetryPolicy::default(), 0.0);
            breaker.opens_at(false)
        };
        assert_eq!(ask(SECOND, 7), 8 * SECOND);
        assert_eq!(ask(SECOND, 2), 8 * SECOND);
        assert_eq!(ask(SECOND, 1 << 30), 86_401 * SECOND);
        assert_eq!(breaker.answered(8 * SECOND, 9 * SECOND, true), None);
    }

    #[test]
    fn it_is_retired_for_good() {
        let mut breaker = CircuitBreaker::default();
        assert!(!breaker.says_gone(false, SECOND));
        assert!(!breaker.says_gone(true, 60 * SECOND));
        assert!(breaker.says_gone(true, 61 * SECOND));
        assert!(breaker.says_gone(false, 2 * SECOND));
        // A delivery says otherwise; a refusal of another kind says nothing.
        breaker.answered(2 * SECOND, 3 * SECOND, false);
        assert!(breaker.says_gone(false, 3 * SECOND));
        breaker.answered(2 * SECOND, 3 * SECOND, true);
        assert!(!breaker.says_gone(true, 100 * SECOND));
        breaker.retire();
        fail(&mut breaker, 101 * SECOND, false, false);
        assert_eq!(breaker.answered(102 * SECOND, 102 * SECOND, true), None);
        assert_eq!(breaker.opens_at(false), Duration::MAX);
        assert_eq!(breaker.circuit(), Circuit::Retired);
    }
}
