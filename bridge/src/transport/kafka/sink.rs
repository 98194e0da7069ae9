//! The sink: events to records of one topic, each acknowledged by all in-sync replicas.
//!
//! Events are handed to librdkafka in the order of the calls to `send`, before `send` returns.

mod classify;
mod max_message_bytes;
mod producer;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::error::{KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::BaseProducer;
use tokio::sync::{Mutex, oneshot};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::Instrument;

use super::client::{DeliveryReport, ReportSender};
use super::connection::KafkaCluster;
use super::settings::SinkSettings;
use crate::outcome::Outcome;
use crate::transport::{Batch, Outgoing, Sink};
use classify::BATCH_REFUSED;
use producer::Producer;

/// The client's own threads make room meanwhile.
const QUEUE_PAUSE: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// Somebody waits for each answer: 0.2 ms of linger, and batches grow while one is in flight.
    LowLatency,
    /// Compressed, as they are larger than what was read: a topic limits the compressed bytes.
    DeadLetters,
    /// Many events at a time: 5 ms of linger make large batches.
    Throughput,
}

pub(super) struct KafkaSink {
    topic: String,
    batching: Arc<Producer>,
    /// For an event that was refused with its batch.
    single: Arc<Producer>,
    /// Held by the event that is next while the client's queue is full.
    next: Mutex<()>,
}

impl KafkaSink {
    /// Checks that librdkafka takes the configuration with the longest linger. Opens no connection.
    pub(super) fn prove(cluster: &KafkaCluster, settings: &SinkSettings) -> KafkaResult<()> {
        let mut config = producer::config(cluster, settings.message_timeout, Profile::Throughput);
        config.remove("bootstrap.servers");
        config.create::<BaseProducer>().map(drop)
    }

    pub(super) fn new(
        cluster: &KafkaCluster,
        settings: &SinkSettings,
        profile: Profile,
    ) -> KafkaResult<Rc<Self>> {
        let timeout = settings.message_timeout;
        let config = producer::config(cluster, timeout, profile);
        let mut alone = config.clone();
        alone.set("batch.num.messages", "1");
        let batching = Producer::shared(cluster, config.clone(), timeout);
        batching.connect()?;
        match profile {
            // rdkafka does not poll a client that asks for configurations, so it never gets a token.
            Profile::LowLatency if cluster.token.is_some() => tracing::info!(
                "kafka sink cannot ask for the limit of its topic with OAUTHBEARER: what is too large is refused by the broker alone"
            ),
            Profile::LowLatency => {
                let limits = &batching.max_message_bytes;
                limits.watch(config, &batching.span, &settings.topic)?;
            }
            // Nobody waits for an answer there.
            Profile::DeadLetters | Profile::Throughput => {}
        }
        Ok(Rc::new(Self {
            topic: settings.topic.clone(),
            batching,
            single: Producer::shared(cluster, alone, timeout),
            next: Mutex::default(),
        }))
    }
}

impl Sink for Rc<KafkaSink> {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let enqueue = |event: Rc<Outgoing>| (self.enqueue(&event), event);
        let enqueued: Vec<_> = batch.into_iter().map(enqueue).collect();
        let sink = Self::clone(self);
        async move {
            // Kafka has no batched mode: there is one event.
            for (report, event) in enqueued {
                let outcome = sink.outcome(&event, report).await;
                if outcome != Outcome::Delivered {
                    return outcome;
                }
            }
            Outcome::Delivered
        }
        .boxed_local()
    }

    fn is_too_large(&self, event: &Outgoing) -> bool {
        let limits = &self.batching.max_message_bytes;
        limits.is_exceeded_by(&self.topic, event)
    }

    fn is_connected(&self) -> Option<bool> {
        self.batching.is_connected()
    }
}

impl KafkaSink {
    /// Now, or in its turn once the client's queue has room.
    fn enqueue(self: &Rc<Self>, event: &Rc<Outgoing>) -> oneshot::Receiver<DeliveryReport> {
        let (sender, report) = oneshot::channel();
        let mut sender = Box::new(sender);
        if let (Ok(_next), Ok(_turn)) = (self.next.try_lock(), self.batching.turn.try_lock()) {
            match self.batching.enqueue(&self.topic, event, sender) {
                Ok(()) => return report,
                Err(full) => sender = full,
            }
        }
        let waits = Rc::clone(self).wait_for_room(Rc::clone(event), sender);
        let mut waits = waits.boxed_local();
        // The first poll puts it behind those that wait already.
        if (&mut waits).now_or_never().is_none() {
            spawn_local(waits.in_current_span());
        }
        report
    }

    /// Events of one sink in order, and sinks that share the client by turns.
    async fn wait_for_room(self: Rc<Self>, event: Rc<Outgoing>, mut sender: ReportSender) {
        let deadline = Instant::now() + self.batching.message_timeout;
        let turn = async { (self.next.lock().await, self.batching.turn.lock().await) };
        if let Ok(_turn) = timeout_at(deadline, turn).await {
            while !sender.is_closed() && Instant::now() < deadline {
                match self.batching.enqueue(&self.topic, &event, sender) {
                    Ok(()) => return,
                    Err(full) => sender = full,
                }
                sleep(QUEUE_PAUSE).await;
            }
        }
        sender.send(Err(RDKafkaErrorCode::QueueFull)).ok();
    }

    async fn outcome(
        &self,
        event: &Outgoing,
        report: oneshot::Receiver<DeliveryReport>,
    ) -> Outcome {
        match self.batching.outcome(report).await {
            // A broker refuses a batch as a whole: perhaps another event was at fault.
            Outcome::Refused(_) | BATCH_REFUSED => {}
            outcome => return outcome,
        }
        let (sender, report) = oneshot::channel();
        if let Err(full) = self.single.enqueue(&self.topic, event, Box::new(sender)) {
            full.send(Err(RDKafkaErrorCode::QueueFull)).ok();
        }
        self.single.outcome(report).await
    }
}
