//! What the bridge counts, and whether each route does its work.
//! Labels are names of routes and words from fixed lists: their number is bounded by the settings.

mod metrics;
mod process;
mod rates;

use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, MetricEncoder, NoLabelSet, text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::delivery::Verdict;
use crate::route::Route;
use crate::route::breaker::Circuit;
use crate::route::report::Outage;
use crate::route::tally::{self, BOUNDS_MS, Tally};
use crate::server::Answers;
use crate::shared::lock;
use crate::traces::Traces;
use crate::transport::{Sink, SourceStatus};
use metrics::MetricValue::{Absent, ByWord, Number, Seconds, Times};
use metrics::{INGRESS, METRICS, Metric, PROCESS};
use process::Process;
use rates::Rates;

/// A route's loop that did not run for so long stands still.
const STALE: Duration = Duration::from_secs(10);

/// Where a route reads and writes, for people.
#[derive(Clone, Debug, Default)]
pub struct Places {
    pub source: String,
    pub destination: String,
    pub dead_letters: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    routes: Arc<Mutex<BTreeMap<Arc<str>, Snapshot>>>,
    pub(crate) answers: Answers,
    pub(crate) traces: Option<Traces>,
    settings_fault: Arc<Mutex<Option<SettingsFault>>>,
}

/// Settings, or files that they name, that are not or not wholly in effect as they were last read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsFault {
    pub since: Timestamp,
    pub cause: String,
}

#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) places: Places,
    pub(crate) rates: Rates,
    pub(crate) paused: bool,
    pub(crate) waiting: usize,
    pub(crate) outages: Vec<Outage>,
    pub(crate) ticked: Option<Instant>,
    pub(crate) has_ended: bool,
    pub(crate) tally: Tally,
    pub(crate) circuit: Circuit,
    pub(crate) in_flight: usize,
    pub(crate) waits_for_rate: bool,
    pub(crate) dead_letters_fail: bool,
    pub(crate) hold: Option<String>,
    pub(crate) stuck: usize,
    pub(crate) events_held: usize,
    /// When they were last counted.
    pub(crate) dead_letters_open: Option<u64>,
    pub(crate) joined: bool,
    pub(crate) windows: usize,
    pub(crate) windows_held: usize,
    pub(crate) window_events: usize,
    pub(crate) window_bytes: usize,
    pub(crate) oldest_ms: Option<i64>,
    pub(crate) lag: Option<u64>,
    /// Of each end that has a connection.
    pub(crate) connections: [(&'static str, Option<bool>); 3],
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
}

impl Telemetry {
    pub fn new(routes: impl IntoIterator<Item = (Arc<str>, Places)>) -> Self {
        let telemetry = Self::default();
        for (name, places) in routes {
            telemetry.start(&name, places);
        }
        telemetry
    }

    pub(crate) fn settings_fault(&self) -> Option<SettingsFault> {
        lock(&self.settings_fault).clone()
    }

    pub(crate) fn settings_read(&self, fault: Option<String>) {
        let mut former = lock(&self.settings_fault);
        let since = former.as_ref().map_or_else(Timestamp::now, |it| it.since);
        *former = fault.map(|cause| SettingsFault { since, cause });
    }

    /// It counts from nothing. Returns whether it was paused when it ended, as it stays then.
    pub fn start(&self, name: &Arc<str>, places: Places) -> bool {
        let mut routes = lock(&self.routes);
        let paused = routes.get(name).is_some_and(|former| former.paused);
        let snapshot = Snapshot {
            places,
            paused,
            ..Snapshot::default()
        };
        routes.insert(Arc::clone(name), snapshot);
        paused
    }

    /// `None` where they could not be counted.
    pub(crate) fn count_open_dead_letters(&self, name: &str, open: Option<u64>) {
        if let Some(snapshot) = lock(&self.routes).get_mut(name) {
            snapshot.dead_letters_open = open;
        }
    }

    /// Nothing moves there any more.
    pub fn end(&self, name: &str) {
        if let Some(snapshot) = lock(&self.routes).get_mut(name) {
            snapshot.has_ended = true;
            snapshot.outages.clear();
        }
    }

    pub fn remove(&self, name: &str) {
        lock(&self.routes).remove(name);
    }

    /// Whether a route that has not ended stands still: a fault of the bridge, which only a restart mends.
    pub fn is_stuck(&self) -> bool {
        let routes = lock(&self.routes);
        let mut running = routes.values().filter(|route| !route.has_ended);
        running.any(|route| route.ticked.is_some_and(|ticked| ticked.elapsed() > STALE))
    }

    pub fn publish(
        &self,
        name: &Arc<str>,
        route: &Route,
        source: &SourceStatus,
        (sink, dead_letters): (&dyn Sink, Option<&dyn Sink>),
    ) {
        let delivered = route.tally().settled(Verdict::Delivered);
        let mut routes = lock(&self.routes);
        let snapshot = routes.entry(Arc::clone(name)).or_default();
        snapshot.rates.note(delivered, Instant::now());
        *snapshot = Snapshot {
            paused: route.is_paused(),
            waiting: route.waiting_count(),
            outages: route.outages(),
            ticked: Some(Instant::now()),
            has_ended: false,
            tally: route.tally().clone(),
            circuit: route.circuit(),
            in_flight: route.in_flight(),
            waits_for_rate: sink.opens_at().is_some() && route.held() > route.in_flight(),
            dead_letters_fail: route.dead_letters_fail(),
            hold: route.hold(),
            stuck: route.stuck(),
            events_held: route.events_held(),
            joined: source.joined(),
            windows: source.windows(),
            windows_held: source.held(),
            window_events: source.events(),
            window_bytes: source.bytes(),
            oldest_ms: source.oldest_ms(),
            lag: source.lag(),
            connections: [
                ("source", source.is_connected()),
                ("sink", sink.is_connected()),
                ("dead_letter", dead_letters.and_then(Sink::is_connected)),
            ],
            dropped: source.dropped(),
            lost: source.lost(),
            ..std::mem::take(snapshot)
        };
    }

    /// Of each route, in the order of their names.
    pub(crate) fn each<T>(&self, of: impl Fn(&str, &Snapshot) -> T) -> Vec<T> {
        let mut routes = lock(&self.routes);
        let each = routes.iter_mut().map(|(name, it)| {
            let delivered = it.tally.settled(Verdict::Delivered);
            it.rates.note(delivered, Instant::now());
            of(name, it)
        });
        each.collect()
    }

    /// A line for each route that does not do its work. A receiver that is down does not count.
    pub fn not_ready(&self) -> String {
        let routes = lock(&self.routes);
        let faults = routes.iter().filter_map(|(name, snapshot)| {
            let fault = snapshot.standstill().or_else(|| snapshot.hold.clone())?;
            Some(format!("route {name}: {fault}\n"))
        });
        faults.collect()
    }

    /// In the OpenMetrics format.
    pub fn exposition(&self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut exposition = String::new();
        text::encode(&mut exposition, &registry).expect("a string takes every text");
        exposition
    }

    /// As if the route's loop had run, and its source had joined or not.
    #[cfg(test)]
    pub(crate) fn tick(&self, name: &str, joined: bool) {
        let snapshot = Snapshot {
            ticked: Some(Instant::now()),
            joined,
            ..Snapshot::default()
        };
        lock(&self.routes).insert(name.into(), snapshot);
    }
}

impl Snapshot {
    /// Why the route as a whole does nothing.
    pub(crate) fn standstill(&self) -> Option<String> {
        match self.ticked.map(|ticked| ticked.elapsed()) {
            _ if self.has_ended => Some("does not run, see the log".to_owned()),
            None => Some("is starting".to_owned()),
            Some(age) if age > STALE => Some(format!("has not run for {} s", age.as_secs())),
            Some(_) if !self.joined => Some("its source has not joined".to_owned()),
            Some(_) => None,
        }
    }
}

impl Collector for Telemetry {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let routes = lock(&self.routes);
        let by_route = routes.iter();
        let by_route = by_route.map(|(name, it)| (vec![("route", &**name)], it));
        encode(&mut encoder, METRICS, by_route)?;
        drop(routes);
        let answers = self.answers.by_path();
        let by_path = answers.iter().map(|((listener, path), it)| {
            let labels = vec![("listener", &**listener), ("path", &**path)];
            (labels, &**it)
        });
        encode(&mut encoder, INGRESS, by_path)?;
        let process = (self.clone(), Process::look());
        encode(&mut encoder, PROCESS, iter::once((Vec::new(), &process)))
    }
}

type Labels<'a> = Vec<(&'a str, &'a str)>;

fn encode<'a, T: 'a>(
    encoder: &mut DescriptorEncoder<'_>,
    table: &[Metric<T>],
    all: impl Iterator<Item = (Labels<'a>, &'a T)> + Clone,
) -> fmt::Result {
    for Metric(kind, name, help, read) in table {
        let mut family = encoder.encode_descriptor(name, help, None, *kind)?;
        for (mut labels, of) in all.clone() {
            match read(of) {
                ByWord(label, values) => {
                    for (word, value) in values {
                        labels.push((label, word));
                        number(family.encode_family(&&*labels)?, *kind, value)?;
                        labels.pop();
                    }
                }
                Absent => {}
                Number(value) => number(family.encode_family(&&*labels)?, *kind, value)?,
                Seconds(value) => number(family.encode_family(&&*labels)?, *kind, value)?,
                Times(times) => histogram(family.encode_family(&&*labels)?, times)?,
            }
        }
    }
    Ok(())
}

fn number<N>(mut to: MetricEncoder<'_>, kind: MetricType, value: N) -> fmt::Result
where
    N: EncodeCounterValue + EncodeGaugeValue,
{
    match kind {
        MetricType::Counter => to.encode_counter::<NoLabelSet, N, u64>(&value, None),
        _ => to.encode_gauge(&value),
    }
}

fn histogram(mut to: MetricEncoder<'_>, times: &tally::Times) -> fmt::Result {
    let seconds = |ms: &u64| Duration::from_millis(*ms).as_secs_f64();
    let bounds = BOUNDS_MS.iter().map(seconds).chain([f64::INFINITY]);
    let buckets: Vec<_> = bounds.zip(times.buckets).collect();
    let count = times.buckets.iter().sum();
    to.encode_histogram::<NoLabelSet>(times.sum.as_secs_f64(), count, &buckets, None)
}

#[cfg(test)]
mod tests;
