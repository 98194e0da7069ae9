//! The sink: events to records of one topic, each acknowledged by all in-sync replicas.
//!
//! Events are handed to librdkafka in the order of the calls to `send`, before `send` returns.

mod classify;
mod limit;
mod producer;
mod reports;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::error::KafkaError;
use rdkafka::producer::BaseProducer;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::connection::Cluster;
use super::settings::SinkSettings;
use crate::outcome::Outcome;
use crate::transport::{Batch, Outgoing, Sink};
use classify::BATCH_REFUSED;
use limit::Limit;
use producer::{Handed, Producer};

/// Pause before a full queue is tried again; the client's own threads make room meanwhile.
const QUEUE_PAUSE: Duration = Duration::from_millis(5);

/// How events come: it decides whether the client waits for company, and whether it compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Somebody waits for each answer, as in HTTP to Kafka: 0.2 ms of company, and batches grow while
    /// the one request in flight is away.
    Answering,
    /// Dead letters: seldom, waited for, and larger than what was read by the headers that say why.
    /// They are compressed, because the limit of a topic is one of compressed bytes, and what was
    /// read may have been sent compressed.
    DeadLetters,
    /// Many events at a time, as in Kafka to Kafka: 5 ms of company make large batches.
    Streaming,
}

/// Writes to one topic.
pub struct KafkaSink(Rc<Shared>);

struct Shared {
    topic: String,
    timeout: Duration,
    /// Batches of all events.
    together: Rc<Producer>,
    /// Batches of one event, for those that were refused with their batch.
    alone: Rc<Producer>,
    /// Known only where a sender waits: elsewhere nobody asks.
    limit: Option<Limit>,
    /// Events that found the client's queue full, in order; a task works them off.
    waiting: RefCell<VecDeque<Queued>>,
}

const QUEUE_FULL: Handed = Handed::Failed(Outcome::Unreachable("queue-full"));

/// What became of handing an event to the client, now or when its queue has room.
enum Handing {
    Done(Handed),
    Waits(oneshot::Receiver<Handed>),
}

struct Queued {
    event: Rc<Outgoing>,
    until: Instant,
    handed: oneshot::Sender<Handed>,
}

impl KafkaSink {
    /// Proves that librdkafka takes what a sink with these settings will ask of it. Opens no
    /// connection.
    ///
    /// # Errors
    /// What librdkafka said.
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

    /// A sink that connects when the first event comes, or before.
    ///
    /// # Errors
    /// When librdkafka refuses the configuration.
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
            waiting: RefCell::default(),
        })))
    }
}

impl Sink for KafkaSink {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let hand = |event: Rc<Outgoing>| (self.0.hand(&event), event);
        let handings: Vec<_> = batch.into_iter().map(hand).collect();
        let shared = Rc::clone(&self.0);
        async move {
            let mut worst = Outcome::Delivered;
            for (handing, event) in handings {
                let outcome = shared.outcome(&event, handing).await;
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
    /// Hands an event to the client now, or puts it behind those that wait for its queue.
    fn hand(self: &Rc<Self>, event: &Rc<Outgoing>) -> Handing {
        let is_first = self.waiting.borrow().is_empty();
        if is_first && let Some(handed) = self.together.hand(&self.topic, event) {
            return Handing::Done(handed);
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().push_back(Queued {
            event: Rc::clone(event),
            until: Instant::now() + self.timeout,
            handed: sender,
        });
        if is_first {
            tokio::task::spawn_local(Rc::clone(self).work_off());
        }
        Handing::Waits(receiver)
    }

    /// Hands over what waits, in order, as the client's queue has room.
    async fn work_off(self: Rc<Self>) {
        loop {
            let is_awaited = |queued: &Queued| !queued.handed.is_closed();
            self.waiting.borrow_mut().retain(is_awaited);
            let handed = match self.waiting.borrow().front() {
                None => return,
                Some(first) if Instant::now() >= first.until => Some(QUEUE_FULL),
                Some(first) => self.together.hand(&self.topic, &first.event),
            };
            let Some(handed) = handed else {
                sleep(QUEUE_PAUSE).await;
                continue;
            };
            if let Some(first) = self.waiting.borrow_mut().pop_front() {
                drop(first.handed.send(handed));
            }
        }
    }

    async fn outcome(&self, event: &Outgoing, handing: Handing) -> Outcome {
        let handed = match handing {
            Handing::Done(handed) => handed,
            Handing::Waits(handed) => handed.await.unwrap_or(QUEUE_FULL),
        };
        let report = match handed {
            Handed::Failed(outcome) => return outcome,
            Handed::Over(report) => report.await,
        };
        match self.together.outcome(report) {
            // A broker refuses a batch as a whole: perhaps another event was at fault.
            Outcome::Refused(_) | BATCH_REFUSED => match self.alone.hand(&self.topic, event) {
                Some(Handed::Over(report)) => self.alone.outcome(report.await),
                Some(Handed::Failed(outcome)) => outcome,
                None => Outcome::Unreachable("queue-full"),
            },
            outcome => outcome,
        }
    }
}
