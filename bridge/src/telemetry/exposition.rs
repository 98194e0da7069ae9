//! Writes the values as Prometheus reads them.

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use super::route_metrics::{OUTCOMES, STATES, VERDICTS, read};
use super::{RouteMetrics, Telemetry, names};
use crate::route::dead_letter::Kind;
use crate::route::tally::LATENCY_BOUNDS;

impl Collector for Telemetry {
    fn encode(&self, mut to: DescriptorEncoder<'_>) -> Result<(), Error> {
        self.counters(
            &mut to,
            names::EVENTS,
            "Events settled, by verdict",
            "verdict",
            |metrics| {
                let values = metrics.values.settled.iter().map(read);
                VERDICTS.iter().map(|(_, word)| *word).zip(values).collect()
            },
        )?;
        self.counters(
            &mut to,
            names::ATTEMPTS,
            "Exchanges with the sink, by outcome",
            "outcome",
            |metrics| {
                OUTCOMES
                    .into_iter()
                    .zip(metrics.values.attempts.iter().map(read))
                    .collect()
            },
        )?;
        self.counters(
            &mut to,
            names::DEAD_LETTERS,
            "Events given up, by kind",
            "kind",
            |metrics| {
                let values = metrics.values.dead_letters.iter().map(read);
                Kind::ALL.into_iter().map(Kind::word).zip(values).collect()
            },
        )?;
        self.counters(
            &mut to,
            names::IRREGULAR_EVENTS,
            "Events that went on with an attribute that has not the form of its type, by attribute",
            "attribute",
            |metrics| metrics.irregular().clone().into_iter().collect(),
        )?;
        for (name, help, value) in [
            (
                names::TAKEN,
                "Messages taken from the source",
                counter(|m| read(&m.values.taken)),
            ),
            (
                names::DEAD_LETTER_FAILURES,
                "Dead letters that could not be written",
                counter(|m| read(&m.values.dead_letter_failures)),
            ),
            (
                names::DROPPED,
                "Deliveries dropped without a verdict, a fault of the bridge",
                counter(|m| read(&m.values.dropped)),
            ),
            (
                names::LOST,
                "Messages of a core NATS subject that came faster than they were taken",
                counter(|m| read(&m.values.lost)),
            ),
        ] {
            self.each(
                &mut to,
                name,
                help,
                MetricType::Counter,
                |metrics, mut to| to.encode_counter::<NoLabelSet, _, u64>(&value(metrics), None),
            )?;
        }
        self.gauges(&mut to)?;
        self.each(
            &mut to,
            names::ATTEMPT_SECONDS,
            "Time of an exchange with the sink",
            MetricType::Histogram,
            histogram,
        )
    }
}

fn counter(read: fn(&RouteMetrics) -> u64) -> fn(&RouteMetrics) -> u64 {
    read
}

impl Telemetry {
    fn gauges(&self, to: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let seconds = |age: Option<std::time::Duration>| age.map_or(0.0, |age| age.as_secs_f64());
        type Read = fn(&RouteMetrics) -> u64;
        let whole: [(&str, &str, Read); 8] = [
            (names::IN_FLIGHT, "Exchanges under way", |m| {
                read(&m.values.in_flight)
            }),
            (names::WINDOW_EVENTS, "Events above the watermark", |m| {
                read(&m.values.window_events)
            }),
            (names::WINDOW_BYTES, "Bytes above the watermark", |m| {
                read(&m.values.window_bytes)
            }),
            (names::WINDOWS, "Open windows", |m| read(&m.values.windows)),
            (
                names::WINDOWS_HELD,
                "Windows read no further until somebody acts",
                |m| read(&m.values.windows_held),
            ),
            (
                names::DEAD_LETTERS_UNWRITABLE,
                "Whether dead letters cannot be written",
                |m| read(&m.values.dead_letters_unwritable),
            ),
            (
                names::DEAD_LETTERS_STUCK,
                "Dead letters that their place refuses for good",
                |m| read(&m.values.dead_letters_stuck),
            ),
            (names::SOURCE_JOINED, "Whether the source has joined", |m| {
                u64::from(m.is_joined())
            }),
        ];
        for (name, help, value) in whole {
            self.each(to, name, help, MetricType::Gauge, |metrics, mut to| {
                to.encode_gauge(&i64::try_from(value(metrics)).unwrap_or(i64::MAX))
            })?;
        }
        self.each(
            to,
            names::OLDEST_SECONDS,
            "Age of the oldest unsettled event",
            MetricType::Gauge,
            |metrics, mut to| to.encode_gauge(&seconds(metrics.oldest_age())),
        )?;
        self.each(
            to,
            names::TICK_AGE_SECONDS,
            "Time since the route's loop last ran",
            MetricType::Gauge,
            |metrics, mut to| to.encode_gauge(&seconds(metrics.tick_age())),
        )?;
        let mut metric = to.encode_descriptor(
            names::ENDPOINT_STATE,
            "1 for the state the circuit of the sink is in",
            None,
            MetricType::Gauge,
        )?;
        for (route, metrics) in self.routes() {
            for (state, word) in (0..).zip(STATES) {
                let labels = [("route", &*route), ("state", word)];
                let is_in_it = i64::from(read(&metrics.values.endpoint) == state);
                metric.encode_family(&labels)?.encode_gauge(&is_in_it)?;
            }
        }
        Ok(())
    }

    /// One counter per route and word.
    fn counters<W: AsRef<str>>(
        &self,
        to: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        label: &str,
        values: impl Fn(&RouteMetrics) -> Vec<(W, u64)>,
    ) -> Result<(), Error> {
        let mut metric = to.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (route, metrics) in self.routes() {
            for (word, value) in values(&metrics) {
                let labels = [("route", &*route), (label, word.as_ref())];
                metric
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, _, u64>(&value, None)?;
            }
        }
        Ok(())
    }

    fn each(
        &self,
        to: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        ty: MetricType,
        write: impl Fn(&RouteMetrics, MetricEncoder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut metric = to.encode_descriptor(name, help, None, ty)?;
        for (route, metrics) in self.routes() {
            write(&metrics, metric.encode_family(&[("route", &*route)])?)?;
        }
        Ok(())
    }
}

fn histogram(metrics: &RouteMetrics, mut to: MetricEncoder<'_>) -> Result<(), Error> {
    let bounds = LATENCY_BOUNDS.iter().map(std::time::Duration::as_secs_f64);
    let counts = metrics.values.attempt_buckets.iter().map(read);
    let buckets: Vec<_> = bounds.chain([f64::INFINITY]).zip(counts).collect();
    let count = buckets.iter().map(|(_, count)| count).sum();
    let sum = read(&metrics.values.attempt_time_us) as f64 / 1e6;
    to.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
}
