//! What the bridge says of itself: log lines, and every metric by name.
//!
//! Labels are names of routes and words from fixed lists, so their number is bounded by the
//! settings. Nothing here holds an attribute of an event.

mod exposition;
pub mod logging;
mod route_metrics;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::registry::Registry;

pub use route_metrics::{Readiness, RouteMetrics};

/// Names of the metrics. Counters get `_total` behind them when they are written.
pub mod names {
    /// Counter of events by route and verdict.
    pub const EVENTS: &str = "cenl_events";
    /// Counter of messages taken from the source, by route.
    pub const TAKEN: &str = "cenl_messages_taken";
    /// Counter of exchanges with the sink, by route and outcome.
    pub const ATTEMPTS: &str = "cenl_attempts";
    /// Histogram of the time an exchange with the sink took, by route.
    pub const ATTEMPT_SECONDS: &str = "cenl_attempt_duration_seconds";
    /// Counter of dead letters that could not be written, by route.
    pub const DEAD_LETTER_FAILURES: &str = "cenl_dead_letter_failures";
    /// Counter of dead letters by route and kind.
    pub const DEAD_LETTERS: &str = "cenl_dead_letters";
    /// Events that went on with an attribute that has not the form of its type, by attribute.
    pub const IRREGULAR_EVENTS: &str = "cenl_irregular_events";
    /// Gauge of exchanges under way, by route.
    pub const IN_FLIGHT: &str = "cenl_in_flight";
    /// Gauge of events held above the watermark, by route.
    pub const WINDOW_EVENTS: &str = "cenl_window_events";
    /// Gauge of bytes held above the watermark, by route.
    pub const WINDOW_BYTES: &str = "cenl_window_bytes";
    /// Gauge of open windows, by route: partitions assigned, or requests that wait.
    pub const WINDOWS: &str = "cenl_windows";
    /// Gauge of windows that are read no further until somebody acts, by route: raise an alarm.
    pub const WINDOWS_HELD: &str = "cenl_windows_held";
    /// Gauge of the age of the oldest unsettled event, by route; 0 when there is none.
    pub const OLDEST_SECONDS: &str = "cenl_oldest_unsettled_seconds";
    /// Gauge by route: 1 while dead letters cannot be written.
    pub const DEAD_LETTERS_UNWRITABLE: &str = "cenl_dead_letters_unwritable";
    /// Gauge of dead letters that their place refuses for good, by route: raise an alarm. Each holds
    /// its key, and its partition once the window is full behind it.
    pub const DEAD_LETTERS_STUCK: &str = "cenl_dead_letters_stuck";
    /// Counter of deliveries that were dropped without a verdict: a fault of the bridge.
    pub const DROPPED: &str = "cenl_deliveries_dropped";
    /// Counter of messages that were lost before a source took them.
    pub const LOST: &str = "cenl_messages_lost";
    /// Gauge by route and state: 1 for the state the sink is in, else 0.
    pub const ENDPOINT_STATE: &str = "cenl_endpoint_state";
    /// Gauge by route: whether the source has joined.
    pub const SOURCE_JOINED: &str = "cenl_source_joined";
    /// Gauge of the time since the route's loop last ran.
    pub const TICK_AGE_SECONDS: &str = "cenl_route_tick_age_seconds";

    /// Every name; `config/README.md` tells what to do with each.
    pub const ALL: [&str; 19] = [
        IRREGULAR_EVENTS,
        EVENTS,
        TAKEN,
        ATTEMPTS,
        ATTEMPT_SECONDS,
        DEAD_LETTER_FAILURES,
        DEAD_LETTERS,
        IN_FLIGHT,
        WINDOW_EVENTS,
        WINDOW_BYTES,
        WINDOWS,
        WINDOWS_HELD,
        DEAD_LETTERS_UNWRITABLE,
        OLDEST_SECONDS,
        DROPPED,
        LOST,
        ENDPOINT_STATE,
        SOURCE_JOINED,
        TICK_AGE_SECONDS,
    ];
}

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
        routes
            .iter()
            .map(|(name, metrics)| (Arc::clone(name), metrics.clone()))
            .collect()
    }

    /// The text that Prometheus reads.
    ///
    /// # Errors
    /// Never in practice: writing into memory does not fail.
    pub fn exposition(&self) -> Result<String, std::fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)?;
        Ok(text)
    }
}
