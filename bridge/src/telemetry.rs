//! What the bridge counts, and whether each route does its work.
//! Labels are names of routes and words from fixed lists: their number is bounded by the settings.

mod metrics;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use tokio::time::Instant;

use crate::route::Route;
use crate::route::breaker::Circuit;
use crate::route::tally::{LATENCY_BOUNDS, Tally};
use crate::transport::SourceStatus;
use metrics::{METRICS, MetricValue};

/// A route's loop that did not run for so long stands still.
const STALE: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Default)]
pub struct Telemetry(Arc<Mutex<BTreeMap<Arc<str>, Snapshot>>>);

#[derive(Debug, Default)]
struct Snapshot {
    ticked: Option<Instant>,
    has_ended: bool,
    tally: Tally,
    circuit: Circuit,
    in_flight: usize,
    dead_letters_fail: bool,
    held: Option<String>,
    stuck: usize,
    joined: bool,
    windows: usize,
    windows_held: usize,
    window_events: usize,
    window_bytes: usize,
    oldest: Option<Instant>,
    dropped: u64,
    lost: u64,
}

impl Telemetry {
    pub fn new(routes: impl IntoIterator<Item = Arc<str>>) -> Self {
        let routes = routes.into_iter().map(|name| (name, Snapshot::default()));
        Self(Arc::new(Mutex::new(routes.collect())))
    }

    /// It counts from nothing.
    pub fn start(&self, name: &Arc<str>) {
        self.routes().insert(Arc::clone(name), Snapshot::default());
    }

    /// Nothing moves there any more.
    pub fn end(&self, name: &str) {
        if let Some(snapshot) = self.routes().get_mut(name) {
            snapshot.has_ended = true;
        }
    }

    pub fn remove(&self, name: &str) {
        self.routes().remove(name);
    }

    /// Whether a route that has not ended stands still: a fault of the bridge, which only a restart mends.
    pub fn is_stuck(&self) -> bool {
        let routes = self.routes();
        let mut running = routes.values().filter(|route| !route.has_ended);
        running.any(|route| route.ticked.is_some_and(|ticked| ticked.elapsed() > STALE))
    }

    pub fn publish(&self, name: &Arc<str>, route: &Route, source: &SourceStatus) {
        let snapshot = Snapshot {
            ticked: Some(Instant::now()),
            has_ended: false,
            tally: route.tally().clone(),
            circuit: route.circuit(),
            in_flight: route.in_flight(),
            dead_letters_fail: route.dead_letters_fail(),
            held: route.fault(),
            stuck: route.stuck(),
            joined: source.joined(),
            windows: source.windows(),
            windows_held: source.held(),
            window_events: source.events(),
            window_bytes: source.bytes(),
            oldest: source.oldest(),
            dropped: source.dropped(),
            lost: source.lost(),
        };
        self.routes().insert(Arc::clone(name), snapshot);
    }

    /// A line for each route that does not do its work. A receiver that is down does not count.
    pub fn not_ready(&self) -> String {
        let routes = self.routes();
        let faults = routes.iter().filter_map(|(name, snapshot)| {
            let fault = snapshot.fault()?;
            Some(format!("route {name}: {fault}\n"))
        });
        faults.collect()
    }

    /// In the OpenMetrics format; an error never happens, as a string takes every text.
    pub fn exposition(&self) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut exposition = String::new();
        text::encode(&mut exposition, &registry)?;
        Ok(exposition)
    }

    fn routes(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Snapshot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As if the route's loop had run, and its source had joined or not.
    #[cfg(test)]
    pub(crate) fn tick(&self, name: &str, joined: bool) {
        let snapshot = Snapshot {
            ticked: Some(Instant::now()),
            joined,
            ..Snapshot::default()
        };
        self.routes().insert(name.into(), snapshot);
    }
}

impl Snapshot {
    fn fault(&self) -> Option<String> {
        match self.ticked.map(|ticked| ticked.elapsed()) {
            _ if self.has_ended => Some("does not run, see the log".to_owned()),
            None => Some("is starting".to_owned()),
            Some(age) if age > STALE => Some(format!("has not run for {} s", age.as_secs())),
            Some(_) if !self.joined => Some("its source has not joined".to_owned()),
            Some(_) => self.held.clone(),
        }
    }
}

impl Collector for Telemetry {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let routes = self.routes();
        for metric in METRICS {
            let mut family =
                encoder.encode_descriptor(metric.name, metric.help, None, metric.kind)?;
            for (name, snapshot) in &*routes {
                let labels = [("route", &**name)];
                match (metric.read)(snapshot) {
                    MetricValue::Number(value) => {
                        number(family.encode_family(&labels)?, metric.kind, value)?;
                    }
                    MetricValue::ByWord(label, values) => {
                        for (word, value) in values {
                            let labels = [labels[0], (label, word)];
                            number(family.encode_family(&labels)?, metric.kind, value)?;
                        }
                    }
                    MetricValue::Age(since) => {
                        let age = since.map_or(Duration::ZERO, |since| since.elapsed());
                        let mut gauge = family.encode_family(&labels)?;
                        gauge.encode_gauge(&age.as_secs_f64())?;
                    }
                    MetricValue::AttemptTimes => {
                        histogram(family.encode_family(&labels)?, &snapshot.tally)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn number(mut to: MetricEncoder<'_>, kind: MetricType, value: u64) -> fmt::Result {
    match kind {
        MetricType::Counter => to.encode_counter::<NoLabelSet, _, u64>(&value, None),
        _ => to.encode_gauge(&value),
    }
}

fn histogram(mut to: MetricEncoder<'_>, tally: &Tally) -> fmt::Result {
    let bounds = LATENCY_BOUNDS.iter().map(Duration::as_secs_f64);
    let bounds = bounds.chain([f64::INFINITY]);
    let buckets: Vec<_> = bounds.zip(tally.latency_buckets).collect();
    let count = tally.latency_buckets.iter().sum();
    to.encode_histogram::<NoLabelSet>(tally.latency_sum.as_secs_f64(), count, &buckets, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_route_is_ready_while_it_ticks_and_its_source_is_joined() {
        let telemetry = Telemetry::new(["a".into()]);
        assert_eq!(telemetry.not_ready(), "route a: is starting\n");
        telemetry.tick("a", false);
        let not_joined = "route a: its source has not joined\n";
        assert_eq!(telemetry.not_ready(), not_joined);
        telemetry.tick("a", true);
        assert_eq!(telemetry.not_ready(), "");
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(telemetry.not_ready(), "");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(telemetry.not_ready(), "route a: has not run for 11 s\n");
        telemetry.tick("a", true);
        assert_eq!(telemetry.not_ready(), "");
    }

    #[tokio::test(start_paused = true)]
    async fn a_route_that_stands_still_is_stuck_unless_it_has_ended() {
        let telemetry = Telemetry::new(["a".into(), "b".into()]);
        assert!(!telemetry.is_stuck(), "they are starting");
        telemetry.tick("a", true);
        telemetry.tick("b", true);
        telemetry.end("b");
        let ended = "route b: does not run, see the log\n";
        assert_eq!(telemetry.not_ready(), ended);
        tokio::time::advance(STALE + Duration::from_secs(1)).await;
        assert!(telemetry.is_stuck());
        telemetry.remove("a");
        assert!(!telemetry.is_stuck());
        telemetry.start(&"b".into());
        assert_eq!(telemetry.not_ready(), "route b: is starting\n");
    }
}
