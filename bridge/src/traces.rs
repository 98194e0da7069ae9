//! Traces over OTLP: a span for each event that is sampled, exported in a thread of its own. A route is never held up:
//! what finds no room is dropped and counted. The exporters of the SDK bring a second HTTP client, tell no cause of a
//! failure and count no drops; the webhook sink has a client already.

mod export;
mod settings;
pub(crate) mod span;

use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

use fastrand::Rng;
use jiff::Timestamp;
use opentelemetry_proto::tonic::trace::v1::Span;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::plan::RoutePlan;
use crate::shared::spawn_thread;
use crate::transport::Stop;
use export::Export;
pub(crate) use settings::TraceSettings;
use span::{EventSpan, Parent};

/// Spans that wait for the collector.
const QUEUE: usize = 2048;
/// For what is left when the bridge stops.
const FLUSH: Duration = Duration::from_secs(5);

/// Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpanCounts {
    exported: Counter,
    dropped: Counter,
}

impl SpanCounts {
    pub(crate) fn by_outcome(&self) -> Vec<(&'static str, u64)> {
        let (exported, dropped) = (self.exported.get(), self.dropped.get());
        vec![("exported", exported), ("dropped", dropped)]
    }
}

/// Clones share the queue.
#[derive(Clone, Debug)]
pub struct Traces {
    sampled: f64,
    queue: mpsc::Sender<Span>,
    pub(crate) counts: SpanCounts,
}

impl Traces {
    pub(crate) fn of_route(&self, plan: &RoutePlan) -> RouteTraces {
        let (source, sink) = (plan.source.address(), plan.sink.address());
        RouteTraces {
            span: span::of_route(&plan.config.name, &source, &sink),
            traces: self.clone(),
        }
    }
}

/// Those of one route.
#[derive(Clone, Debug)]
pub struct RouteTraces {
    /// What its spans have in common.
    span: Span,
    traces: Traces,
}

impl RouteTraces {
    #[cfg(test)]
    pub(crate) fn with_room(sampled: f64, room: usize) -> (Self, mpsc::Receiver<Span>) {
        let (queue, spans) = mpsc::channel(room);
        let place = crate::transport::address::Address {
            transport: "memory",
            server: String::new(),
            name: "place".to_owned(),
        };
        let traces = Traces {
            sampled,
            queue,
            counts: SpanCounts::default(),
        };
        let span = span::of_route("bench", &place, &place);
        (Self { span, traces }, spans)
    }

    #[cfg(test)]
    pub(crate) fn counts(&self) -> &SpanCounts {
        &self.traces.counts
    }

    /// Where the event is sampled: its parent decides, else chance.
    pub(crate) fn begin(
        &self,
        parent: Option<Box<Parent>>,
        random: &mut Rng,
        now: Timestamp,
    ) -> Option<EventSpan> {
        let is_sampled = match &parent {
            Some(parent) => parent.is_sampled,
            None => random.f64() < self.traces.sampled,
        };
        is_sampled.then(|| EventSpan::begin(&self.span, parent, random, now))
    }

    pub(crate) fn offer(&self, span: Span) {
        if self.traces.queue.try_send(span).is_err() {
            self.traces.counts.dropped.inc();
        }
    }
}

/// The thread that exports.
pub(crate) struct Exporter {
    stop: watch::Sender<Option<Instant>>,
    thread: JoinHandle<()>,
}

impl Exporter {
    pub(crate) fn start(settings: &TraceSettings) -> io::Result<(Traces, Self)> {
        let (queue, spans) = mpsc::channel(QUEUE);
        let traces = Traces {
            sampled: settings.sampled,
            queue,
            counts: SpanCounts::default(),
        };
        let (stop, stopped) = Stop::new();
        let (settings, counts) = (settings.clone(), traces.counts.clone());
        let thread = spawn_thread("traces".to_owned(), move || async move {
            match Export::open(&settings, spans, counts) {
                Ok(export) => export.run(stopped).await,
                Err(error) => tracing::error!(%error, "traces are not exported"),
            }
        })?;
        Ok((traces, Self { stop, thread }))
    }

    /// Once the routes have left: exports what waits, and takes no longer than a bound.
    pub(crate) fn stop(self) {
        self.stop.send_replace(Some(Instant::now() + FLUSH));
        self.thread.join().ok();
    }
}
