//! Pure: the circuit breaker of an endpoint. Times count from the start of the route.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::retry::{MOST_BETWEEN_PROBES, RetryPolicy};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
    next: Duration,
    /// The first probe goes at once, if it is of another lane.
    first_repeat: Duration,
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
            Some(opened) => opened.next,
            None => Duration::ZERO,
        }
    }

    /// `None` while it waits for other probes, or is not open.
    pub fn next_probe(&self, probe: Probe) -> Option<Duration> {
        let opened = self.opened.as_ref().filter(|_| !self.is_retired)?;
        let (most, next) = match probe {
            Probe::First => (PROBES_MAX, opened.next),
            Probe::Repeat => (PROBES_MAX - 1, opened.next.max(opened.first_repeat)),
        };
        (opened.probes_under_way < most).then_some(next)
    }

    /// Where no answer comes, another key tries after a while.
    pub fn probe_starts(&mut self, now: Duration) {
        if let Some(opened) = &mut self.opened {
            opened.probes_under_way += 1;
            opened.next = opened.next.max(now + MOST_BETWEEN_PROBES);
        }
    }

    /// A probe of before the circuit closed and opened again tells nothing of this time.
    pub fn probe_ends(&mut self, started: Duration) {
        let opened = self.opened.as_mut();
        if let Some(opened) = opened.filter(|opened| opened.at <= started) {
            opened.probes_under_way = opened.probes_under_way.saturating_sub(1);
        }
    }

    /// A delivery, or the refusal of an event for what it is. True when that closes an open circuit.
    /// An answer to what was sent before it opened does not, nor one before `Retry-After` is over.
    pub fn answered(&mut self, started: Duration, now: Duration, is_delivery: bool) -> bool {
        if is_delivery {
            self.gone_since = None;
        }
        let opened = self.opened.as_ref();
        let is_stale = opened.is_some_and(|opened| opened.at > started);
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

    /// An event was refused for what it is. True from so many on, until one is delivered: events are to stay.
    pub fn refused(&mut self, most: usize) -> bool {
        self.refusals = self.refusals.saturating_add(1).min(most);
        self.refuses_all |= most > 0 && self.refusals == most;
        self.refuses_all
    }

    pub fn refuses_all(&self) -> bool {
        self.refuses_all
    }

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
        let opened = self.opened.as_ref().filter(|_| failure.is_probe);
        let is_probe = opened.is_some_and(|opened| opened.at <= failure.started);
        let is_long = now - since >= TIME_OF_AN_OUTAGE;
        let is_outage = self.failures >= MANY_FAILURES || self.failures >= FEW_FAILURES && is_long;
        if self.opened.is_none() && failure.may_be_the_event && !is_outage {
            return;
        }
        let opened = self.opened.get_or_insert_with(|| Opened {
            at: now,
            probes_under_way: 0,
            failed_probes: 0,
            next: now,
            first_repeat: now + policy.probe_delay(1, random),
        });
        if is_probe {
            opened.failed_probes = opened.failed_probes.saturating_add(1);
            opened.next = now + policy.probe_delay(opened.failed_probes, random);
        }
        opened.next = opened.next.max(self.floor);
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

    /// An operator says that it has recovered.
    pub fn probe_now(&mut self, now: Duration) {
        self.floor = self.floor.min(now);
        if let Some(opened) = &mut self.opened {
            opened.next = opened.next.min(now);
            opened.first_repeat = opened.first_repeat.min(now);
        }
    }

    pub fn retire(&mut self) {
        self.is_retired = true;
    }
}

#[cfg(test)]
mod tests;
