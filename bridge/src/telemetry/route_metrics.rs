//! The metrics of one route: written by its thread, read by the control plane.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::delivery::Verdict;
use crate::route::Route;
use crate::route::breaker::Circuit;
use crate::transport::SourceStatus;

/// A route's loop that did not run for this long does not move.
const STALE: Duration = Duration::from_secs(10);

/// Handles to the values of one route. Writing never waits.
#[derive(Clone, Debug)]
pub struct RouteMetrics {
    pub(super) values: Arc<Values>,
    born: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) settled: [AtomicU64; 4],
    pub(super) taken: AtomicU64,
    pub(super) attempts: [AtomicU64; OUTCOMES.len()],
    pub(super) attempt_buckets: [AtomicU64; crate::route::tally::LATENCY_BOUNDS.len() + 1],
    pub(super) attempt_time_us: AtomicU64,
    pub(super) dead_letters: [AtomicU64; crate::route::dead_letter::Kind::ALL.len()],
    irregular: Mutex<BTreeMap<Box<str>, u64>>,
    pub(super) dead_letter_failures: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) lost: AtomicU64,
    pub(super) in_flight: AtomicU64,
    pub(super) window_events: AtomicU64,
    pub(super) window_bytes: AtomicU64,
    pub(super) windows: AtomicU64,
    pub(super) windows_held: AtomicU64,
    pub(super) dead_letters_unwritable: AtomicU64,
    pub(super) dead_letters_stuck: AtomicU64,
    pub(super) joined: AtomicU64,
    pub(super) endpoint: AtomicU64,
    /// Milliseconds since birth, plus 1; 0 is none.
    oldest: AtomicU64,
    /// Milliseconds since birth, plus 1; 0 is never.
    ticked: AtomicU64,
}

/// The words of the verdicts, in the order of [`Verdict`].
pub(super) const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Delivered, "delivered"),
    (Verdict::Filtered, "filtered"),
    (Verdict::DeadLettered, "dead_lettered"),
    (Verdict::Discarded, "discarded"),
];

/// The words of the outcomes, in the order of the counts.
pub(super) const OUTCOMES: [&str; 6] = [
    "delivered",
    "duplicate",
    "status",
    "unreachable",
    "untrusted",
    "refused",
];

/// The words of the states of an endpoint.
pub(super) const STATES: [&str; 4] = ["closed", "open", "half_open", "retired"];

/// Whether a route does its work, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It runs, and its source has joined.
    Ready,
    /// Its loop has not run yet.
    Starting,
    /// Its source has not joined, or was put out.
    NotJoined,
    /// Its loop has not run for so long.
    Stalled(Duration),
}

impl Default for RouteMetrics {
    fn default() -> Self {
        Self {
            values: Arc::default(),
            born: Instant::now(),
        }
    }
}

impl RouteMetrics {
    /// Takes over what the route has counted, and says that its loop ran.
    pub fn publish(&self, route: &Route, source: &SourceStatus) {
        let (values, tally) = (&self.values, route.tally());
        for (value, (verdict, _)) in values.settled.iter().zip(VERDICTS) {
            set(value, tally.settled(verdict));
        }
        let pairs = values.attempts.iter().zip(tally.attempts);
        let pairs = pairs.chain(values.attempt_buckets.iter().zip(tally.latency_buckets));
        pairs.for_each(|(value, count)| set(value, count));
        set(
            &values.attempt_time_us,
            tally.latency_sum.as_micros().try_into().unwrap_or(u64::MAX),
        );
        for (value, kind) in values
            .dead_letters
            .iter()
            .zip(crate::route::dead_letter::Kind::ALL)
        {
            set(value, tally.dead_letters(kind));
        }
        self.irregular().clone_from(&tally.irregular);
        set(&values.taken, tally.taken);
        set(&values.dead_letter_failures, tally.dead_letters_failed);
        set(&values.window_events, source.events() as u64);
        set(&values.window_bytes, source.bytes() as u64);
        set(&values.windows, source.windows() as u64);
        set(&values.windows_held, source.held() as u64);
        set(&values.dropped, source.dropped());
        set(&values.lost, source.lost());
        set(&values.joined, source.joined().into());
        set(
            &values.dead_letters_unwritable,
            route.dead_letters_fail().into(),
        );
        set(&values.dead_letters_stuck, route.stuck() as u64);
        set(&values.in_flight, route.in_flight() as u64);
        let state = match route.circuit() {
            Circuit::Closed => 0,
            Circuit::Open => 1,
            Circuit::HalfOpen => 2,
            Circuit::Retired => 3,
        };
        set(&values.endpoint, state);
        set(
            &values.oldest,
            source.oldest().map_or(0, |at| self.since_birth(at)),
        );
        self.tick();
    }

    /// Says that the route's loop ran.
    pub fn tick(&self) {
        set(&self.values.ticked, self.since_birth(Instant::now()));
    }

    /// Whether the route does its work.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        match self.tick_age() {
            None => Readiness::Starting,
            Some(age) if age > STALE => Readiness::Stalled(age),
            Some(_) if !self.is_joined() => Readiness::NotJoined,
            Some(_) => Readiness::Ready,
        }
    }

    /// Events that went on with an irregular attribute, by attribute.
    pub(super) fn irregular(&self) -> MutexGuard<'_, BTreeMap<Box<str>, u64>> {
        let irregular = self.values.irregular.lock();
        irregular.unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the source takes messages.
    pub(super) fn is_joined(&self) -> bool {
        read(&self.values.joined) > 0
    }

    /// As if the source had joined.
    #[cfg(test)]
    pub(crate) fn join(&self) {
        set(&self.values.joined, 1);
    }

    /// Time since the loop last ran, once it did.
    pub(super) fn tick_age(&self) -> Option<Duration> {
        self.age(&self.values.ticked)
    }

    /// Age of the oldest unsettled event, if there is one.
    pub(super) fn oldest_age(&self) -> Option<Duration> {
        self.age(&self.values.oldest)
    }

    fn since_birth(&self, at: Instant) -> u64 {
        let elapsed = at.saturating_duration_since(self.born).as_millis();
        u64::try_from(elapsed).map_or(u64::MAX, |elapsed| elapsed.saturating_add(1))
    }

    fn age(&self, value: &AtomicU64) -> Option<Duration> {
        let at = Duration::from_millis(read(value).checked_sub(1)?);
        Some(self.born.elapsed().saturating_sub(at))
    }
}

fn set(value: &AtomicU64, to: u64) {
    value.store(to, Ordering::Relaxed);
}

pub(super) fn read(value: &AtomicU64) -> u64 {
    value.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_route_is_ready_while_it_ticks_and_its_source_is_joined() {
        let metrics = RouteMetrics::default();
        assert_eq!(metrics.readiness(), Readiness::Starting);
        metrics.tick();
        assert_eq!(metrics.readiness(), Readiness::NotJoined);
        metrics.join();
        assert_eq!(metrics.readiness(), Readiness::Ready);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(metrics.readiness(), Readiness::Ready);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(
            metrics.readiness(),
            Readiness::Stalled(Duration::from_secs(11))
        );
        metrics.tick();
        assert_eq!(metrics.readiness(), Readiness::Ready);
    }
}
