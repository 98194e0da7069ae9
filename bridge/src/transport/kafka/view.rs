//! Looks at a topic: partitions are assigned directly, so there is no group to join and no offset to
//! commit, and brokers keep nothing of it.
//!
//! A client that knows no broker any more, or stands still (see `forsaken`), is made anew: it goes on
//! behind what was read.

mod marks;
mod notes;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::{Consumer, ConsumerContext, StreamConsumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::{ClientContext, Message};
use tokio::task::{spawn, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use super::client::{code, told};
use super::connection::Cluster;
use super::entry::address;
use super::forsaken::{self, Forsaken};
use super::log::ClientLog;
use super::record::received;
use crate::transport::address::Address;
use crate::transport::view::{NoNotes, Note, Notes, OpenView, Span, Spot, View, ViewError, Viewed};
use notes::GroupNotes;

/// The group that librdkafka wants a name of before it assigns anything; nobody ever joins it.
const NOBODY: &str = "cenl-view";
/// Longest wait for a broker to answer a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for the next record before the end.
const RECORD_TIMEOUT: Duration = Duration::from_secs(60);

/// A topic that can be looked at.
#[derive(Debug)]
pub(super) struct KafkaView {
    pub(super) cluster: Cluster,
    pub(super) topic: Arc<str>,
}

impl KafkaView {
    pub(super) fn boxed(cluster: &Cluster, topic: &str) -> Box<dyn OpenView> {
        Box::new(Self {
            cluster: cluster.clone(),
            topic: topic.into(),
        })
    }
}

impl OpenView for KafkaView {
    fn address(&self) -> Address {
        address(&self.cluster, &self.topic)
    }

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<Box<dyn View>, ViewError>> {
        async move {
            let topic = Arc::clone(&self.topic);
            let (client, forsaken) = watched(&self.cluster, &topic)?;
            let (asked, about) = (Arc::clone(&client), Arc::clone(&topic));
            let mut stretches = apart(move || marks::stretches(&asked, &about, span.start)).await?;
            stretches.retain(|_, stretch| span.follows || stretch.next < stretch.end);
            let assigned = marks::assignment(&topic, &stretches)?;
            client.assign(&assigned).map_err(|error| refused(&error))?;
            Ok(Box::new(TopicView {
                cluster: self.cluster.clone(),
                client,
                forsaken,
                topic,
                stretches,
                follows: span.follows,
            }) as Box<dyn View>)
        }
        .boxed_local()
    }

    fn notes(&self, name: &str) -> LocalBoxFuture<'_, Result<Box<dyn Notes>, NoNotes>> {
        let client = client(&self.cluster, name, &Forsaken::default());
        let topic = Arc::clone(&self.topic);
        async move {
            let notes: Box<dyn Notes> = Box::new(GroupNotes {
                client: client?,
                topic,
            });
            Ok(notes)
        }
        .boxed_local()
    }
}

type Client = StreamConsumer<ViewEvents>;

struct TopicView {
    cluster: Cluster,
    client: Arc<Client>,
    forsaken: Forsaken,
    topic: Arc<str>,
    /// What is left of each partition that was not read to its end.
    stretches: BTreeMap<i32, marks::Stretch>,
    /// Whether there is no end.
    follows: bool,
}

impl View for TopicView {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Viewed>, ViewError>> {
        async move {
            let deadline = Instant::now() + RECORD_TIMEOUT;
            loop {
                if self.stretches.is_empty() {
                    return Ok(None);
                }
                let Some(received) = (tokio::select! {
                    received = self.client.recv() => Some(received),
                    () = self.forsaken.is_certain() => None,
                    () = sleep_until(deadline), if !self.follows => return Err(ViewError {
                        reason: "no record came",
                        detail: format!("within {RECORD_TIMEOUT:?}, before the end of the topic"),
                    }),
                }) else {
                    self.begin_anew()?;
                    continue;
                };
                let viewed = match received {
                    Ok(record) => viewed(&self.topic, &mut self.stretches, self.follows, &record),
                    Err(KafkaError::PartitionEOF(partition)) => {
                        if !self.follows {
                            self.stretches.remove(&partition);
                        }
                        None
                    }
                    Err(error) if is_final(&error) => return Err(refused(&error)),
                    // Told to the context already, and librdkafka goes on by itself.
                    Err(_) => None,
                };
                if viewed.is_some() {
                    return Ok(viewed);
                }
            }
        }
        .boxed_local()
    }

    fn left(&self) -> Option<u64> {
        let left = self
            .stretches
            .values()
            .map(|stretch| stretch.end - stretch.next);
        u64::try_from(left.sum::<i64>())
            .ok()
            .filter(|_| !self.follows)
    }
}

impl TopicView {
    /// Puts another client in the place of one that is of no use any more.
    fn begin_anew(&mut self) -> Result<(), ViewError> {
        tracing::warn!("kafka consumer will not find back and is made anew");
        let (client, forsaken) = watched(&self.cluster, &self.topic)?;
        let assigned = marks::assignment(&self.topic, &self.stretches)?;
        client.assign(&assigned).map_err(|error| refused(&error))?;
        self.forsaken = forsaken;
        let old = std::mem::replace(&mut self.client, client);
        drop(spawn_blocking(move || drop(old)));
        Ok(())
    }
}

/// The record, unless it came after the end that was there at the start.
fn viewed(
    topic: &Arc<str>,
    stretches: &mut BTreeMap<i32, marks::Stretch>,
    follows: bool,
    record: &impl Message,
) -> Option<Viewed> {
    let (partition, offset) = (record.partition(), record.offset());
    let stretch = stretches.get_mut(&partition)?;
    let end = stretch.end;
    stretch.next = offset + 1;
    if !follows {
        if offset + 1 >= end {
            stretches.remove(&partition);
        }
        if offset >= end {
            return None;
        }
    }
    let received = received(topic, record);
    Some(Viewed {
        time_ms: received.timestamp_ms,
        received,
        spot: Spot {
            partition,
            number: u64::try_from(offset).unwrap_or_default(),
        },
    })
}

/// The context of a view.
#[derive(Default)]
pub(super) struct ViewEvents {
    log: ClientLog,
    forsaken: Forsaken,
}

impl ClientContext for ViewEvents {
    fn stats_raw(&self, statistics: &[u8]) {
        self.forsaken.look(statistics);
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        self.log.line(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        // The end of a partition is an answer here.
        if code(&error) != Code::PartitionEOF {
            self.log.error(code(&error), reason);
        }
    }
}

impl ConsumerContext for ViewEvents {}

/// A client that reads, and what watches it.
fn watched(cluster: &Cluster, topic: &Arc<str>) -> Result<(Arc<Client>, Forsaken), ViewError> {
    let forsaken = Forsaken::default();
    let client = client(cluster, NOBODY, &forsaken)?;
    let (reads, topic) = (Arc::downgrade(&client), Arc::clone(topic));
    // It ends with its client.
    drop(spawn(forsaken.clone().watch(reads, topic, || true)));
    Ok((client, forsaken))
}

fn client(cluster: &Cluster, group: &str, forsaken: &Forsaken) -> Result<Arc<Client>, ViewError> {
    let defaults = [
        ("check.crcs", "true"),
        ("isolation.level", "read_committed"),
        ("fetch.wait.max.ms", "100"),
        // All partitions share one queue, so this is what a view holds in memory, and one fetch.
        ("queued.max.messages.kbytes", "8192"),
        ("fetch.queue.backoff.ms", "5"),
    ];
    let owned = [
        forsaken::LOOK,
        ("group.id", group),
        ("enable.auto.commit", "false"),
        ("enable.auto.offset.store", "false"),
        ("enable.partition.eof", "true"),
        // Records at the start may be deleted between the question and the first fetch.
        ("auto.offset.reset", "earliest"),
    ];
    let config: ClientConfig = cluster.client_config(&defaults, &owned);
    let client = config.create_with_context(ViewEvents {
        log: ClientLog::default(),
        forsaken: forsaken.clone(),
    });
    client.map(Arc::new).map_err(|error| refused(&error))
}

/// How many partitions a topic has.
pub(super) async fn partitions(cluster: &Cluster, topic: &str) -> Result<i32, ViewError> {
    let client = client(cluster, NOBODY, &Forsaken::default())?;
    let topic = topic.to_owned();
    let last = apart(move || Ok(marks::partitions(&client, &topic)?.into_iter().max())).await?;
    Ok(last.map_or(0, |last| last + 1))
}

/// Asks brokers on a thread where waiting is allowed.
async fn apart<T: Send + 'static>(
    ask: impl FnOnce() -> Result<T, ViewError> + Send + 'static,
) -> Result<T, ViewError> {
    let ended = |_| ViewError {
        reason: "kafka",
        detail: "the client ended before it answered".to_owned(),
    };
    spawn_blocking(ask).await.map_err(ended)?
}

fn refused(error: &KafkaError) -> ViewError {
    ViewError {
        reason: "kafka",
        detail: told(error),
    }
}

/// Whether waiting changes nothing.
fn is_final(error: &KafkaError) -> bool {
    matches!(error, KafkaError::MessageConsumptionFatal(_))
        || matches!(
            code(error),
            Code::TopicAuthorizationFailed
                | Code::UnknownTopicOrPartition
                | Code::UnknownTopic
                | Code::BadMessage
                | Code::BadCompression
        )
}
