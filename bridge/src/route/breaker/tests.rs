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

#[test]
fn an_operator_lets_an_open_circuit_be_probed_whatever_was_asked_for() {
    let mut breaker = CircuitBreaker::default();
    let failure = FailedAttempt {
        started: SECOND,
        is_probe: false,
        may_be_the_event: false,
        retry_after: Some(600 * SECOND),
    };
    breaker.failed(failure, SECOND, &RetryPolicy::default(), 1.0);
    let now = 2 * SECOND;
    assert!(breaker.next_probe(Probe::Repeat).unwrap() > 500 * SECOND);
    breaker.probe_now(now);
    for probe in [Probe::First, Probe::Repeat] {
        assert_eq!(breaker.next_probe(probe), Some(now), "{probe:?}");
    }
    breaker.probe_starts(now);
    assert!(
        breaker.answered(now, now, true),
        "the wait no longer holds it open"
    );
    assert_eq!(breaker.circuit(), Circuit::Closed);
}
