//! The sink: events to records of one topic, each acknowledged by all in-sync replicas.
//!
//! Events are handed to librdkafka in the order of the calls to `send`, before `send` returns.

mod classify;
mod limit;
mod producer;

use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::BaseProducer;
use tokio::sync::{Mutex, oneshot};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout_at};

use super::connection::Cluster;
use super::settings::SinkSettings;
use crate::outcome::Outcome;
use crate::transport::{Batch, Outgoing, Sink};
use classify::BATCH_REFUSED;
use limit::Limit;
use producer::{Producer, Report, ReportSender};

/// The client's own threads make room meanwhile.
const QUEUE_PAUSE: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Somebody waits for each answer: 0.2 ms of linger, and batches grow while the one request is
    /// in flight.
    Answering,
    /// Larger than what was read by the headers that say why, so compressed: the limit of a topic
    /// is one of compressed bytes.
    DeadLetters,
    /// Many events at a time: 5 ms of linger make large batches.
    Streaming,
}

pub struct KafkaSink(Rc<Shared>);

struct Shared {
    topic: String,
    timeout: Duration,
    together: Rc<Producer>,
    /// For those that were refused with their batch.
    alone: Rc<Producer>,
    /// Only where a sender waits: elsewhere nobody needs it.
    limit: Option<Limit>,
    /// Held by the event that is next while the client's queue is full.
    next: Mutex<()>,
}

impl KafkaSink {
    /// Checks that librdkafka takes every configuration of a sink. Opens no connection.
    pub(super) fn prove(cluster: &Cluster, settings: &SinkSettings) -> Result<(), KafkaError> {
        let timeout = settings.message_timeout;
        for pace in [Pace::Answering, Pace::DeadLetters, Pace::Streaming] {
            let configs = [
                producer::config(cluster, timeout, pace),
                producer::config_alone(cluster, timeout, pace),
            ];
            for mut config in configs {
                config.remove("bootstrap.servers");
                config.create::<BaseProducer>()?;
            }
        }
        Ok(())
    }

    pub fn new(cluster: &Cluster, settings: &SinkSettings, pace: Pace) -> Result<Self, KafkaError> {
        let timeout = settings.message_timeout;
        let config = producer::config(cluster, timeout, pace);
        let limit = match pace {
            Pace::Answering => Limit::watch(config.clone(), settings.topic.clone())?,
            Pace::DeadLetters | Pace::Streaming => None,
        };
        let together = Producer::shared(config, timeout);
        together.connect()?;
        Ok(Self(Rc::new(Shared {
            topic: settings.topic.clone(),
            timeout,
            together,
            alone: Producer::shared(producer::config_alone(cluster, timeout, pace), timeout),
            limit,
            next: Mutex::default(),
        })))
    }
}

impl Sink for KafkaSink {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let hand = |event: Rc<Outgoing>| (self.0.hand(&event), event);
        let handed: Vec<_> = batch.into_iter().map(hand).collect();
        let shared = Rc::clone(&self.0);
        async move {
            let mut worst = Outcome::Delivered;
            for (report, event) in handed {
                let outcome = shared.outcome(&event, report).await;
                if worst == Outcome::Delivered {
                    worst = outcome;
                }
            }
            worst
        }
        .boxed_local()
    }

    fn is_too_large(&self, event: &Outgoing) -> bool {
        let limit = self.0.limit.as_ref();
        limit.is_some_and(|limit| limit.is_below(event))
    }
}

impl Shared {
    /// Now, or in its turn once the client's queue has room.
    fn hand(self: &Rc<Self>, event: &Rc<Outgoing>) -> oneshot::Receiver<Report> {
        let (sender, report) = oneshot::channel();
        let mut sender = Box::new(sender);
        if let (Ok(_next), Ok(_turn)) = (self.next.try_lock(), self.together.turn.try_lock()) {
            match self.together.hand(&self.topic, event, sender) {
                Ok(()) => return report,
                Err(full) => sender = full,
            }
        }
        let waits = Rc::clone(self).wait_for_room(Rc::clone(event), sender);
        let mut waits = waits.boxed_local();
        // The first poll puts it behind those that wait already.
        if (&mut waits).now_or_never().is_none() {
            spawn_local(waits);
        }
        report
    }

    /// Events of one sink in order, and sinks that share the client by turns.
    async fn wait_for_room(self: Rc<Self>, event: Rc<Outgoing>, mut sender: ReportSender) {
        let deadline = Instant::now() + self.timeout;
        let turn = async { (self.next.lock().await, self.together.turn.lock().await) };
        if let Ok(_turn) = timeout_at(deadline, turn).await {
            while !sender.is_closed() && Instant::now() < deadline {
                match self.together.hand(&self.topic, &event, sender) {
                    Ok(()) => return,
                    Err(full) => sender = full,
                }
                sleep(QUEUE_PAUSE).await;
            }
        }
        sender.send(Err(RDKafkaErrorCode::QueueFull)).ok();
    }

    async fn outcome(&self, event: &Outgoing, report: oneshot::Receiver<Report>) -> Outcome {
        match self.together.outcome(report).await {
            // A broker refuses a batch as a whole: perhaps another event was at fault.
            Outcome::Refused(_) | BATCH_REFUSED => {}
            outcome => return outcome,
        }
        let (sender, report) = oneshot::channel();
        if let Err(full) = self.alone.hand(&self.topic, event, Box::new(sender)) {
            full.send(Err(RDKafkaErrorCode::QueueFull)).ok();
        }
        self.alone.outcome(report).await
    }
}
