//! From the queue to the collector: OTLP over HTTP, in protobuf.

use std::future::pending;
use std::mem;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::HeaderList;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;
use tokio::sync::mpsc;
use tokio::time::{sleep, sleep_until, timeout};

use super::span::text;
use super::{SpanCounts, TraceSettings};
use crate::outcome::Outcome;
use crate::transport::contract::{OpenError, OpenSink};
use crate::transport::{Outgoing, Sink, Stop};

/// Spans of one request.
const BATCH: usize = 512;
/// From the first of them until it is sent, full or not.
const LINGER: Duration = Duration::from_millis(100);
/// Between two attempts, from and to.
const WAITS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

pub(super) struct Export {
    sink: Box<dyn Sink>,
    address: String,
    spans: mpsc::Receiver<Span>,
    counts: SpanCounts,
    resource: Vec<KeyValue>,
    /// What the collector has not taken yet.
    batch: Vec<Span>,
    /// Before it is sent again; none unless the last attempt failed.
    wait: Duration,
}

impl Export {
    pub(super) fn open(
        settings: &TraceSettings,
        spans: mpsc::Receiver<Span>,
        counts: SpanCounts,
    ) -> Result<Self, OpenError> {
        let instance = format!("{:032x}", fastrand::u128(..));
        Ok(Self {
            sink: settings.collector.client()?,
            address: settings.collector.address().to_string(),
            spans,
            counts,
            resource: vec![
                text("service.name", "cenl-bridge"),
                text("service.version", env!("CARGO_PKG_VERSION")),
                text("service.instance.id", instance),
            ],
            batch: Vec::new(),
            wait: Duration::ZERO,
        })
    }

    /// Until it is asked to stop; then no longer than the deadline. What the collector has not taken is dropped.
    pub(super) async fn run(mut self, mut stop: Stop) {
        let exported = self.export(stop.clone());
        tokio::select! {
            () = exported => {}
            () = async { sleep_until(stop.requested().await).await } => {}
        }
        self.spans.close();
        let waiting = self.batch.len() + self.spans.len();
        if waiting > 0 {
            let address = &self.address;
            self.counts.dropped.inc_by(waiting as u64);
            tracing::warn!(address, waiting, "spans are dropped at the stop");
        }
    }

    async fn export(&mut self, mut stop: Stop) {
        while !stop.is_requested() {
            tokio::select! {
                () = self.gather(self.wait) => self.send().await,
                _ = stop.requested() => {}
            }
        }
        // Nobody adds to it any more, and there is no time to wait.
        while !(self.batch.is_empty() && self.spans.is_empty()) {
            self.gather(Duration::ZERO).await;
            self.send().await;
            if !self.wait.is_zero() {
                return;
            }
        }
    }

    /// One span at least, those that are to be sent again included.
    async fn gather(&mut self, wait: Duration) {
        sleep(wait).await;
        if self.batch.is_empty() && self.spans.recv_many(&mut self.batch, BATCH).await == 0 {
            // No route can offer any.
            pending().await
        }
        let filled = async {
            while self.batch.len() < BATCH && !self.spans.is_closed() {
                let room = BATCH - self.batch.len();
                self.spans.recv_many(&mut self.batch, room).await;
            }
        };
        timeout(LINGER, filled).await.ok();
    }

    async fn send(&mut self) {
        let request = self.request();
        let outcome = self.sink.send(vec![Rc::new(request)]).await;
        let number = self.batch.len() as u64;
        if matches!(outcome, Outcome::Delivered) {
            self.counts.exported.inc_by(number);
            self.batch.clear();
            if !mem::take(&mut self.wait).is_zero() {
                let dropped = self.counts.dropped.get();
                tracing::info!(address = self.address, dropped, "traces are exported again");
            }
            return;
        }
        if self.wait.is_zero() {
            let (address, cause, remedy) = (&self.address, outcome.cause(), outcome.remedy());
            tracing::warn!(
                address,
                cause,
                remedy,
                next = "events go on, spans that find no room are dropped and counted",
                "traces cannot be exported"
            );
        }
        let (shortest, longest) = WAITS;
        self.wait = (self.wait * 2).clamp(shortest, longest);
        if may_be_repeated(&outcome) {
            let asked = outcome.retry_after().unwrap_or_default();
            self.wait = self.wait.max(asked.min(longest));
        } else {
            self.counts.dropped.inc_by(number);
            self.batch.clear();
        }
    }

    fn request(&self) -> Outgoing {
        let spans = ScopeSpans {
            scope: Some(InstrumentationScope {
                name: "cenl-bridge".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..InstrumentationScope::default()
            }),
            spans: self.batch.clone(),
            ..ScopeSpans::default()
        };
        let request = ExportTraceServiceRequest {
            resource_spans: vec![ResourceSpans {
                resource: Some(Resource {
                    attributes: self.resource.clone(),
                    ..Resource::default()
                }),
                scope_spans: vec![spans],
                ..ResourceSpans::default()
            }],
        };
        let mut headers = HeaderList::default();
        headers.push("content-type", Some(b"application/x-protobuf"));
        Outgoing {
            headers,
            body: Some(Bytes::from(request.encode_to_vec())),
            ..Outgoing::default()
        }
    }
}

/// As the specification of OTLP says of statuses and of connections that fail.
fn may_be_repeated(outcome: &Outcome) -> bool {
    match *outcome {
        Outcome::Status { code, .. } => matches!(code, 429 | 502 | 503 | 504),
        Outcome::Delivered | Outcome::Duplicate | Outcome::Refused(_) => false,
        Outcome::Unreachable(_)
        | Outcome::NoToken(_)
        | Outcome::NoConsent(_)
        | Outcome::Unanswered(_)
        | Outcome::Untrusted(_) => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::cell::RefCell;

    use futures_util::FutureExt;
    use futures_util::future::LocalBoxFuture;

    use tokio::time::Instant;

    use super::*;
    use crate::outcome::Outcome::{Delivered, Unanswered, Unreachable};
    use crate::transport::Batch;

    /// Answers as it was told, never where there is to be no answer, else that it has it.
    #[derive(Default)]
    struct Played {
        answers: RefCell<Vec<Outcome>>,
        /// The names of the spans of each request.
        came: RefCell<Vec<Vec<String>>>,
    }

    impl Sink for Rc<Played> {
        fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
            let body = batch[0].body.clone().unwrap();
            let request = ExportTraceServiceRequest::decode(body).unwrap();
            let spans = request.resource_spans[0].scope_spans[0].spans.iter();
            let names = spans.map(|span| span.name.clone()).collect();
            self.came.borrow_mut().push(names);
            match self.answers.borrow_mut().pop() {
                Some(Unanswered(_)) => pending().boxed_local(),
                answer => std::future::ready(answer.unwrap_or(Delivered)).boxed_local(),
            }
        }
    }

    fn status(code: u16, retry_after: Option<u64>) -> Outcome {
        Outcome::Status {
            code,
            retry_after: retry_after.map(Duration::from_secs),
            error_body: None,
        }
    }

    /// What exports, the queue before it, and its collector.
    fn export(mut answers: Vec<Outcome>) -> (Export, mpsc::Sender<Span>, Rc<Played>) {
        answers.reverse();
        let sink = Rc::new(Played {
            answers: answers.into(),
            ..Played::default()
        });
        let (queue, spans) = mpsc::channel(16);
        let export = Export {
            sink: Box::new(Rc::clone(&sink)),
            address: String::new(),
            spans,
            counts: SpanCounts::default(),
            resource: Vec::new(),
            batch: Vec::new(),
            wait: Duration::ZERO,
        };
        (export, queue, sink)
    }

    fn span(name: &str) -> Span {
        Span {
            name: name.to_owned(),
            ..Span::default()
        }
    }

    /// The requests, the counts, and how long it took until `spans` were exported or dropped, and `more` flushed.
    async fn played(
        answers: Vec<Outcome>,
        more: &[&str],
    ) -> (Vec<Vec<String>>, [u64; 2], Duration) {
        let (export, queue, sink) = export(answers);
        let counts = export.counts.clone();
        let (stop, stopped) = Stop::new();
        let offer = async |name: &str| queue.send(span(name)).await.unwrap();
        let began = Instant::now();
        let told = || {
            counts
                .by_outcome()
                .iter()
                .map(|(_, count)| count)
                .sum::<u64>()
        };
        let asked = async {
            offer("a").await;
            offer("b").await;
            while told() < 2 {
                sleep(Duration::from_millis(10)).await;
            }
            let took = began.elapsed();
            for name in more {
                offer(name).await;
            }
            stop.send_replace(Some(Instant::now() + Duration::from_secs(5)));
            took
        };
        let ((), took) = tokio::join!(export.run(stopped), asked);
        let counts = [&counts.exported, &counts.dropped].map(|it| it.get());
        (sink.came.take(), counts, took)
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_collector_may_take_later_is_sent_again() {
        let seconds = |took: Duration| took.as_secs_f64().floor() as u64;
        for (answers, times, counts, took) in [
            (vec![Delivered], 1, [2, 0], 0),
            (vec![Unreachable("refused"); 3], 4, [2, 0], 1 + 2 + 4),
            (vec![status(503, Some(20))], 2, [2, 0], 20),
            (vec![status(429, Some(4000))], 2, [2, 0], 30),
            (vec![status(502, None), status(504, None)], 3, [2, 0], 3),
            (vec![status(400, None)], 1, [0, 2], 0),
            (vec![status(500, None)], 1, [0, 2], 0),
            (vec![status(401, None)], 1, [0, 2], 0),
        ] {
            let case = format!("{answers:?}");
            let (came, found, waited) = played(answers, &[]).await;
            assert_eq!(came, vec![["a", "b"]; times], "{case}");
            assert_eq!((found, seconds(waited)), (counts, took), "{case}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_at_the_end_is_sent_once_or_counted() {
        let (came, counts, _) = played(vec![], &["c", "d", "e"]).await;
        assert_eq!(came, [vec!["a", "b"], vec!["c", "d", "e"]]);
        assert_eq!(counts, [5, 0]);
        for away in [Unreachable("refused"), Unanswered("hangs")] {
            let (came, counts, _) = played(vec![Delivered, away], &["c"]).await;
            assert_eq!(came, [vec!["a", "b"], vec!["c"]]);
            assert_eq!(counts, [2, 1]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_does_not_wait_until_it_is_time_to_try_again() {
        let (export, queue, sink) = export(vec![Unreachable("refused"); 20]);
        let (stop, stopped) = Stop::new();
        let asked = async {
            queue.send(span("a")).await.unwrap();
            sleep(Duration::from_secs(100)).await;
            let tried = sink.came.borrow().len();
            stop.send_replace(Some(Instant::now() + Duration::from_secs(5)));
            (tried, Instant::now())
        };
        let ((), (tried, since)) = tokio::join!(export.run(stopped), asked);
        assert_eq!(sink.came.borrow().len(), tried + 1);
        assert!(since.elapsed() < Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn full_requests_wait_for_nothing() {
        let (export, queue, sink) = export(Vec::new());
        let (stop, stopped) = Stop::new();
        let began = Instant::now();
        let asked = async {
            for _ in 0..100 * BATCH {
                queue.send(span("a")).await.unwrap();
            }
            stop.send_replace(Some(Instant::now() + Duration::from_secs(5)));
        };
        tokio::join!(export.run(stopped), asked);
        assert!(sink.came.borrow().iter().all(|names| names.len() == BATCH));
        assert_eq!(sink.came.borrow().len(), 100);
        assert!(began.elapsed() < 2 * LINGER, "{:?}", began.elapsed());
    }
}
