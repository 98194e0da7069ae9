//! Pure: the circuit breaker of an endpoint. Times count from the start of the route.

use std::time::Duration;

use super::retry::{MOST_BETWEEN_PROBES, RetryPolicy};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Circuit {
    #[default]
    Closed,
    Open,
    HalfOpen,
    /// Gone for good.
    Retired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Of a lane that has not failed since it opened.
    First,
    /// Of a lane that has.
    Repeat,
}

#[derive(Clone, Copy, Debug)]
pub struct FailedAttempt {
    pub started: Duration,
    /// Whether it probed the circuit.
    pub is_probe: bool,
    /// A failure that may be the event's opens nothing by itself.
    pub may_be_the_event: bool,
    pub retry_after: Option<Duration>,
}

#[derive(Debug, Default)]
pub struct CircuitBreaker {
    opened: Option<Opened>,
    is_retired: bool,
    /// When the last `Retry-After` ends.
    floor: Duration,
    /// Since the last success.
    failures: u32,
    failing_since: Option<Duration>,
    gone_since: Option<Duration>,
    /// Events refused for what they are, less some for each that was delivered.
    refusals: usize,
    refuses_all: bool,
}

#[derive(Debug)]
struct Opened {
    /// What was sent before tells nothing of it.
    at: Duration,
    probes_under_way: usize,
    failed_probes: u32,
    next_first: Duration,
    next_repeat: Duration,
}

/// Probes that draw no answer keep no other from trying; repeats leave room for a first one.
const PROBES_MAX: usize = 4;

/// So many failures in a row are the endpoint's, whatever it answers; a few are enough over a time.
const MANY_FAILURES: u32 = 10;
const FEW_FAILURES: u32 = 3;
const TIME_OF_AN_OUTAGE: Duration = Duration::from_secs(2);
/// So many refusals does a delivery make up for: with more of them, nine in ten events are refused.
const REFUSALS_OF_A_DELIVERY: usize = 9;
/// A 410 that is repeated for so long, with no delivery between, is true of the endpoint.
const GONE_FOR_GOOD: Duration = Duration::from_secs(60);

impl CircuitBreaker {
    pub fn circuit(&self) -> Circuit {
        match &self.opened {
            _ if self.is_retired => Circuit::Retired,
            None => Circuit::Closed,
            Some(opened) if opened.probes_under_way > 0 => Circuit::HalfOpen,
            Some(_) => Circuit::Open,
        }
    }

    /// A probe failed or was asked to wait, so it is not a single event that failed.
    pub fn is_confirmed(&self) -> bool {
        let is_confirmed = |opened: &Opened| opened.failed_probes > 0 || self.floor > opened.at;
        self.opened.as_ref().is_some_and(is_confirmed)
    }

    /// When events that have not failed may go.
    pub fn opens_at(&self) -> Duration {
        match &self.opened {
            _ if self.is_retired => Duration::MAX,
            Some(opened) => opened.next_first,
            None => Duration::ZERO,
        }
    }

    /// `None` while it waits for other probes, or is not open.
    pub fn next_probe(&self, probe: Probe) -> Option<Duration> {
        let opened = self.opened.as_ref().filter(|_| !self.is_retired)?;
        let (most, next) = match probe {
            Probe::First => (PROBES_MAX, opened.next_first),
            Probe::Repeat => (PROBES_MAX - 1, opened.next_repeat),
        };
        (opened.probes_under_way < most).then_some(next)
    }

    /// Where no answer comes, another key tries after a while.
    pub fn probe_starts(&mut self, now: Duration) {
        if let Some(opened) = &mut self.opened {
            opened.probes_under_way += 1;
            opened.next_first = opened.next_first.max(now + MOST_BETWEEN_PROBES);
            opened.next_repeat = opened.next_first;
        }
    }

    /// A probe of before the circuit closed and opened again tells nothing of this time.
    pub fn probe_ends(&mut self, started: Duration) {
        if self.is_open_since(started)
            && let Some(opened) = &mut self.opened
        {
            opened.probes_under_way = opened.probes_under_way.saturating_sub(1);
        }
    }

    fn is_open_since(&self, started: Duration) -> bool {
        self.opened
            .as_ref()
            .is_some_and(|opened| opened.at <= started)
    }

    /// A delivery, or the refusal of an event for what it is. True when that closes an open circuit.
    /// An answer to what was sent before it opened does not, nor one before `Retry-After` is over.
    pub fn answered(&mut self, started: Duration, now: Duration, is_delivery: bool) -> bool {
        if is_delivery {
            self.gone_since = None;
        }
        let is_stale = self.opened.is_some() && !self.is_open_since(started);
        if self.is_retired || is_stale || now < self.floor {
            return false;
        }
        if is_delivery {
            self.refusals = self.refusals.saturating_sub(REFUSALS_OF_A_DELIVERY);
            self.refuses_all = false;
        }
        (self.failures, self.failing_since) = (0, None);
        self.opened.take().is_some()
    }

    /// An event was refused for what it is. True from the one on that makes it `most`, until one is delivered:
    /// that is no fault of events, they are to stay.
    pub fn refused(&mut self, most: usize) -> bool {
        self.refusals = self.refusals.saturating_add(1).min(most);
        self.refuses_all |= most > 0 && self.refusals == most;
        self.refuses_all
    }

    pub fn refuses_all(&self) -> bool {
        self.refuses_all
    }

    /// The first probe goes at once, if it is of another lane; one that fails puts off the next.
    pub fn failed(
        &mut self,
        failure: FailedAttempt,
        now: Duration,
        policy: &RetryPolicy,
        random: f64,
    ) {
        self.failures = self.failures.saturating_add(1);
        let since = *self.failing_since.get_or_insert(now);
        if let Some(wanted) = failure.retry_after {
            let wanted = now + wanted.min(policy.retry_after_max);
            self.floor = self.floor.max(wanted);
        }
        let is_probe = failure.is_probe && self.is_open_since(failure.started);
        let is_long = now - since >= TIME_OF_AN_OUTAGE;
        let is_outage = self.failures >= MANY_FAILURES || self.failures >= FEW_FAILURES && is_long;
        if self.opened.is_none() && failure.may_be_the_event && !is_outage {
            return;
        }
        let opened = self.opened.get_or_insert_with(|| Opened {
            at: now,
            probes_under_way: 0,
            failed_probes: 0,
            next_first: now,
            next_repeat: now + policy.probe_delay(1, random),
        });
        if is_probe {
            opened.failed_probes = opened.failed_probes.saturating_add(1);
            opened.next_first = now + policy.probe_delay(opened.failed_probes, random);
            opened.next_repeat = opened.next_first;
        }
        opened.next_first = opened.next_first.max(self.floor);
        opened.next_repeat = opened.next_repeat.max(self.floor);
    }

    /// A 410 is confirmed by another event, or by the same one a minute later, with no delivery between.
    pub fn confirms_gone(&mut self, is_same: bool, now: Duration) -> bool {
        match self.gone_since {
            Some(since) => !is_same || now - since >= GONE_FOR_GOOD,
            None => {
                self.gone_since = Some(now);
                false
            }
        }
    }

    pub fn retire(&mut self) {
        self.is_retired = true;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn fail(breaker: &mut CircuitBreaker, now: Duration, is_probe: bool, may_be_the_event: bool) {
        let failure = FailedAttempt {
            started: now,
            is_probe,
            may_be_the_event,
            retry_after: None,
        };
        breaker.failed(failure, now, &RetryPolicy::default(), 1.0);
    }

    /// Fails so many probes, each as soon as it may go; when the next one may.
    fn probe(breaker: &mut CircuitBreaker, probes: usize) -> Duration {
        for _ in 0..probes {
            let at = breaker.next_probe(Probe::Repeat).unwrap();
            breaker.probe_starts(at);
            assert_eq!(breaker.circuit(), Circuit::HalfOpen);
            breaker.probe_ends(at);
            fail(breaker, at, true, false);
        }
        breaker.next_probe(Probe::Repeat).unwrap()
    }

    #[test]
    fn the_first_failure_of_the_endpoint_opens_it_and_another_lane_probes_at_once() {
        let mut breaker = CircuitBreaker::default();
        assert_eq!(breaker.opens_at(), Duration::ZERO);
        assert_eq!(breaker.next_probe(Probe::First), None);
        fail(&mut breaker, SECOND, false, false);
        assert_eq!(breaker.circuit(), Circuit::Open);
        assert!(!breaker.is_confirmed());
        assert_eq!(breaker.next_probe(Probe::First), Some(SECOND));
        let soon = Some(SECOND + SECOND / 2);
        assert_eq!(breaker.next_probe(Probe::Repeat), soon);
        fail(&mut breaker, SECOND, true, true);
        assert!(breaker.is_confirmed());
        assert_eq!(breaker.next_probe(Probe::First), soon);
    }

    #[test]
    fn beside_probes_without_an_answer_another_goes_every_two_seconds_up_to_four() {
        let mut breaker = CircuitBreaker::default();
        fail(&mut breaker, SECOND, false, false);
        for started in [2, 4, 6] {
            breaker.probe_starts(started * SECOND);
            let next = Some((started + 2) * SECOND);
            assert_eq!(breaker.next_probe(Probe::First), next);
            // The last place is for one that has not failed.
            let next = next.filter(|_| started < 6);
            assert_eq!(breaker.next_probe(Probe::Repeat), next);
        }
        breaker.probe_starts(8 * SECOND);
        assert_eq!(breaker.next_probe(Probe::First), None);
        breaker.probe_ends(2 * SECOND);
        assert_eq!(breaker.next_probe(Probe::First), Some(10 * SECOND));
    }

    #[test]
    fn a_probe_of_an_earlier_time_says_nothing_when_it_ends() {
        let mut breaker = CircuitBreaker::default();
        fail(&mut breaker, SECOND, false, false);
        breaker.probe_starts(SECOND);
        assert!(breaker.answered(SECOND, 2 * SECOND, true));
        fail(&mut breaker, 3 * SECOND, false, false);
        breaker.probe_starts(3 * SECOND);
        breaker.probe_ends(SECOND);
        let stale = FailedAttempt {
            started: SECOND,
            is_probe: true,
            may_be_the_event: false,
            retry_after: None,
        };
        breaker.failed(stale, 4 * SECOND, &RetryPolicy::default(), 1.0);
        assert_eq!(breaker.circuit(), Circuit::HalfOpen);
        assert!(!breaker.is_confirmed());
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
            assert!(!breaker.answered(now, now, true));
            assert_eq!(breaker.circuit(), Circuit::Closed);
        }
        for second in [60, 61, 62] {
            assert_eq!(breaker.circuit(), Circuit::Closed);
            fail(&mut breaker, second * SECOND, false, true);
        }
        assert_eq!(breaker.circuit(), Circuit::Open);
    }

    #[test]
    fn an_answer_to_what_was_sent_before_it_opened_closes_nothing() {
        let mut breaker = CircuitBreaker::default();
        fail(&mut breaker, 2 * SECOND, false, false);
        assert!(!breaker.answered(SECOND, 3 * SECOND, true));
        assert_eq!(breaker.circuit(), Circuit::Open);
        assert!(breaker.answered(2 * SECOND, 3 * SECOND, true));
        assert_eq!(breaker.circuit(), Circuit::Closed);
    }

    #[test]
    fn the_longest_retry_after_is_a_floor_within_its_bound() {
        let mut breaker = CircuitBreaker::default();
        let mut ask = |now, seconds| {
            let failure = FailedAttempt {
                started: now,
                is_probe: false,
                may_be_the_event: false,
                retry_after: Some(seconds * SECOND),
            };
            breaker.failed(failure, now, &RetryPolicy::default(), 0.0);
            breaker.opens_at()
        };
        assert_eq!(ask(SECOND, 7), 8 * SECOND);
        assert_eq!(ask(SECOND, 2), 8 * SECOND);
        assert_eq!(ask(SECOND, 1 << 30), 86_401 * SECOND);
        assert!(!breaker.answered(8 * SECOND, 9 * SECOND, true));
    }

    #[test]
    fn so_many_refusals_are_the_endpoints_fault_where_nine_in_ten_are_refused() {
        let mut breaker = CircuitBreaker::default();
        assert!((0..9_999).all(|_| !breaker.refused(0)), "switched off");
        let rounds = |refusals: usize| {
            let mut breaker = CircuitBreaker::default();
            (0..1_000).position(|_| {
                breaker.answered(SECOND, SECOND, true);
                (0..refusals).any(|_| breaker.refused(100))
            })
        };
        assert_eq!(rounds(9), None);
        assert_eq!(rounds(10), Some(90));
        assert_eq!(rounds(100), Some(0));
        (0..99).for_each(|_| assert!(!breaker.refused(100)));
        assert!(breaker.refused(100) && breaker.refused(100));
        // What was sent before the circuit opened ends nothing.
        fail(&mut breaker, 2 * SECOND, false, false);
        breaker.answered(SECOND, 3 * SECOND, true);
        assert!(breaker.refuses_all());
        assert!(breaker.answered(2 * SECOND, 3 * SECOND, true));
        assert!(!breaker.refuses_all());
        assert!((0..8).all(|_| !breaker.refused(100)));
        assert!(breaker.refused(100));
    }

    #[test]
    fn it_is_retired_for_good() {
        let mut breaker = CircuitBreaker::default();
        assert!(!breaker.confirms_gone(false, SECOND));
        assert!(!breaker.confirms_gone(true, 60 * SECOND));
        assert!(breaker.confirms_gone(true, 61 * SECOND));
        assert!(breaker.confirms_gone(false, 2 * SECOND));
        // A delivery says otherwise, also of what was sent before; a refusal of another kind says nothing.
        breaker.answered(2 * SECOND, 3 * SECOND, false);
        assert!(breaker.confirms_gone(false, 3 * SECOND));
        fail(&mut breaker, 4 * SECOND, false, false);
        breaker.answered(3 * SECOND, 5 * SECOND, true);
        assert!(!breaker.confirms_gone(false, 99 * SECOND));
        assert!(!breaker.confirms_gone(true, 100 * SECOND));
        breaker.retire();
        fail(&mut breaker, 101 * SECOND, false, false);
        assert!(!breaker.answered(102 * SECOND, 102 * SECOND, true));
        assert_eq!(breaker.opens_at(), Duration::MAX);
        assert_eq!(breaker.next_probe(Probe::First), None);
        assert_eq!(breaker.circuit(), Circuit::Retired);
    }
}
