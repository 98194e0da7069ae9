//! What the bridge counts: every metric by name, and whether each route does its work.
//!
//! Labels are names of routes and words from fixed lists, so their number is bounded by the
//! settings. Nothing here holds an attribute of an event.

mod exposition;
mod metrics;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::route::Route;
use crate::route::tally::LATENCY_BOUNDS;
use crate::transport::SourceStatus;

/// A route's loop that did not run for this long does not move.
const STALE: Duration = Duration::from_secs(10);

/// The metrics of all routes. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    routes: Arc<Mutex<BTreeMap<Arc<str>, RouteMetrics>>>,
}

impl Telemetry {
    /// The metrics of the routes named; more may be added.
    #[must_use]
    pub fn new(routes: impl IntoIterator<Item = Arc<str>>) -> Self {
        let telemetry = Self::default();
        for name in routes {
            telemetry.route(&name);
        }
        telemetry
    }

    /// The metrics of one route; clones of it share their values.
    pub fn route(&self, name: &Arc<str>) -> RouteMetrics {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        routes.entry(Arc::clone(name)).or_default().clone()
    }

    /// Every route with its metrics, by name.
    #[must_use]
    pub fn routes(&self) -> Vec<(Arc<str>, RouteMetrics)> {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let routes = routes.iter();
        routes
            .map(|(name, metrics)| (Arc::clone(name), metrics.clone()))
            .collect()
    }
}

/// The metrics of one route: written by its thread now and then, read by the control plane.
#[derive(Clone, Debug, Default)]
pub struct RouteMetrics(Arc<Mutex<Values>>);

#[derive(Clone, Debug, Default)]
struct Values {
    /// In the order of the table, one for each word of a metric; none before the route has run.
    table: Vec<u64>,
    irregular: BTreeMap<Box<str>, u64>,
    attempt_buckets: [u64; LATENCY_BOUNDS.len() + 1],
    attempt_time: Duration,
    /// The index of its word.
    endpoint: usize,
    joined: bool,
    oldest: Option<Instant>,
    ticked: Option<Instant>,
}

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

impl RouteMetrics {
    /// Takes over what the route has counted, and says that its loop ran.
    pub fn publish(&self, route: &Route, source: &SourceStatus) {
        let tally = route.tally();
        *self.values() = Values {
            table: metrics::read(route, source),
            irregular: tally.irregular.clone(),
            attempt_buckets: tally.latency_buckets,
            attempt_time: tally.latency_sum,
            endpoint: metrics::endpoint(route),
            joined: source.joined(),
            oldest: source.oldest(),
            ticked: Some(Instant::now()),
        };
    }

    /// Whether the route does its work.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        let values = self.values();
        match values.ticked.map(|ticked| ticked.elapsed()) {
            None => Readiness::Starting,
            Some(age) if age > STALE => Readiness::Stalled(age),
            Some(_) if !values.joined => Readiness::NotJoined,
            Some(_) => Readiness::Ready,
        }
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As if the route's loop had run, and its source had joined or not.
    #[cfg(test)]
    pub(crate) fn tick(&self, joined: bool) {
        let mut values = self.values();
        (values.ticked, values.joined) = (Some(Instant::now()), joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_route_is_ready_while_it_ticks_and_its_source_is_joined() {
        let metrics = RouteMetrics::default();
        assert_eq!(metrics.readiness(), Readiness::Starting);
        metrics.tick(false);
        assert_eq!(metrics.readiness(), Readiness::NotJoined);
        metrics.tick(true);
        assert_eq!(metrics.readiness(), Readiness::Ready);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(metrics.readiness(), Readiness::Ready);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(
            metrics.readiness(),
            Readiness::Stalled(Duration::from_secs(11))
        );
        metrics.tick(true);
        assert_eq!(metrics.readiness(), Readiness::Ready);
    }
}
