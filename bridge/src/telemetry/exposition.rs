//! Writes the values as OpenMetrics text, which Prometheus reads.

use std::fmt::{self, Write};
use std::iter::repeat;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::metrics::{ENDPOINT_STATES, METRICS};
use super::{Telemetry, Values};
use crate::route::tally::LATENCY_BOUNDS;

impl Telemetry {
    /// The text that Prometheus reads.
    #[must_use]
    pub fn exposition(&self) -> String {
        let routes = self.routes().into_iter();
        let routes = routes.map(|(name, metrics)| (name, metrics.values().clone()));
        let mut exposition = Exposition {
            text: String::new(),
            routes: routes.collect(),
        };
        exposition.write().expect("a string takes every text");
        exposition.text
    }
}

struct Exposition {
    text: String,
    routes: Vec<(Arc<str>, Values)>,
}

/// What stands behind the name, the label beside the route, and the value.
type Sample = (&'static str, Option<(&'static str, String)>, String);

impl Exposition {
    fn write(&mut self) -> fmt::Result {
        let mut first = 0;
        for metric in METRICS {
            let (kind, suffix) = match metric.is_counter {
                true => ("counter", "_total"),
                false => ("gauge", ""),
            };
            let words = (metric.words)();
            self.family(metric.name, kind, metric.help, |values| {
                let values = values.table.iter().skip(first).chain(repeat(&0));
                let samples = words.iter().zip(values);
                let has_label = !metric.label.is_empty();
                let label = |word: &str| has_label.then(|| (metric.label, word.to_owned()));
                let sample =
                    |(word, value): (&&str, &u64)| (suffix, label(word), value.to_string());
                samples.map(sample).collect()
            })?;
            first += words.len();
        }
        let help =
            "Events that went on with an attribute that has not the form of its type, by attribute";
        self.family("cenl_irregular_events", "counter", help, |values| {
            let counts = values.irregular.iter();
            let label = |name: &str| Some(("attribute", name.to_owned()));
            counts
                .map(|(name, count)| ("_total", label(name), count.to_string()))
                .collect()
        })?;
        let help = "1 for the state the circuit of the sink is in";
        self.family("cenl_endpoint_state", "gauge", help, |values| {
            let is_in = |at| u8::from(values.endpoint == at).to_string();
            let states = ENDPOINT_STATES.iter().enumerate();
            let label = |state: &str| Some(("state", state.to_owned()));
            states
                .map(|(at, state)| ("", label(state), is_in(at)))
                .collect()
        })?;
        let help = "Whether the source has joined";
        self.family("cenl_source_joined", "gauge", help, |values| {
            vec![("", None, u8::from(values.joined).to_string())]
        })?;
        let age = |at: Option<Instant>| {
            let age = at.map_or(Duration::ZERO, |at| at.elapsed());
            vec![("", None, format!("{:?}", age.as_secs_f64()))]
        };
        let help = "Age of the oldest unsettled event";
        let name = "cenl_oldest_unsettled_seconds";
        self.family(name, "gauge", help, |values| age(values.oldest))?;
        let help = "Time since the route's loop last ran";
        let name = "cenl_route_tick_age_seconds";
        self.family(name, "gauge", help, |values| age(values.ticked))?;
        let bounds = LATENCY_BOUNDS.iter().map(Duration::as_secs_f64);
        let bounds = bounds.map(|bound| format!("{bound:?}"));
        let bounds: Vec<_> = bounds.chain(["+Inf".to_owned()]).collect();
        let help = "Time of an exchange with the sink";
        let name = "cenl_attempt_duration_seconds";
        self.family(name, "histogram", help, |values| {
            let mut count = 0;
            let mut samples = Vec::new();
            for (bound, counted) in bounds.iter().zip(values.attempt_buckets) {
                count += counted;
                samples.push(("_bucket", Some(("le", bound.clone())), count.to_string()));
            }
            let sum = values.attempt_time.as_secs_f64();
            samples.push(("_sum", None, format!("{sum:?}")));
            samples.push(("_count", None, count.to_string()));
            samples
        })?;
        self.text.write_str("# EOF\n")
    }

    /// Writes all samples of one metric.
    fn family(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        samples: impl Fn(&Values) -> Vec<Sample>,
    ) -> fmt::Result {
        let Self { text, routes } = self;
        writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}")?;
        for (route, values) in &*routes {
            for (suffix, label, value) in samples(values) {
                write!(text, "{name}{suffix}{{route=\"{}\"", escaped(route))?;
                if let Some((label, word)) = label {
                    write!(text, ",{label}=\"{}\"", escaped(&word))?;
                }
                writeln!(text, "}} {value}")?;
            }
        }
        Ok(())
    }
}

fn escaped(word: &str) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"");
    word.replace('\n', "\\n")
}
