//! Looks at a topic: partitions are assigned directly, so there is no group to join and no offset to
//! commit, and brokers keep nothing of it.
//!
//! Absent on purpose: noticing that the client knows no broker any more (see `forsaken`). Whoever looks
//! can look again; questions time out, and so does waiting for what lies before the end.

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
use tokio::time::timeout;

use super::client::{code, told};
use super::connection::Cluster;
use super::entry::address;
use super::log::ClientLog;
use super::record::received;
use crate::transport::registry::Address;
use crate::transport::view::{NoNotes, Note, Notes, OpenView, Span, Spot, View, ViewError, Viewed};
use notes::GroupNotes;

/// The group that librdkafka wants a name of before it assigns anything; nobody ever joins it.
const NOBODY: &str = "cenl-view";
/// Longest wait for a broker to answer a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for the next record before the end.
const RECORD_TIMEOUT: Duration = Duration::from_secs(30);

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
            let client = client(&self.cluster, NOBODY)?;
            let topic = Arc::clone(&self.topic);
            let (asked, about) = (Arc::clone(&client), Arc::clone(&topic));
            let stretches = apart(move || marks::stretches(&asked, &about, span.start)).await?;
            let assigned = marks::assignment(&topic, &stretches, span.follows)?;
            client.assign(&assigned).map_err(|error| refused(&error))?;
            let is_open = |(_, stretch): &(i32, marks::Stretch)| stretch.next < stretch.end;
            Ok(Box::new(TopicView {
                client,
                topic,
                open: match span.follows {
                    true => None,
                    false => Some(stretches.into_iter().filter(is_open).collect()),
                },
            }) as Box<dyn View>)
        }
        .boxed_local()
    }

    fn notes(&self, name: &str) -> LocalBoxFuture<'_, Result<Box<dyn Notes>, NoNotes>> {
        let client = client(&self.cluster, name);
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
    client: Arc<Client>,
    topic: Arc<str>,
    /// What is left of each partition that was not read to its end; nothing when there is no end.
    open: Option<BTreeMap<i32, marks::Stretch>>,
}

impl View for TopicView {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Viewed>, ViewError>> {
        async move {
            loop {
                let record = match &self.open {
                    Some(open) if open.is_empty() => return Ok(None),
                    Some(_) => timeout(RECORD_TIMEOUT, self.client.recv()).await,
                    None => Ok(self.client.recv().await),
                };
                let late = |_| ViewError {
                    reason: "no record came",
                    detail: format!("within {RECORD_TIMEOUT:?}, before the end of the topic"),
                };
                let viewed = match record.map_err(late)? {
                    Ok(record) => viewed(&self.topic, &mut self.open, &record),
                    Err(KafkaError::PartitionEOF(partition)) => {
                        if let Some(open) = &mut self.open {
                            open.remove(&partition);
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
        let open = self.open.as_ref()?;
        let left = open.values().map(|stretch| stretch.end - stretch.next);
        u64::try_from(left.sum::<i64>()).ok()
    }
}

/// The record, unless it came after the end that was there at the start.
fn viewed(
    topic: &Arc<str>,
    open: &mut Option<BTreeMap<i32, marks::Stretch>>,
    record: &impl Message,
) -> Option<Viewed> {
    let (partition, offset) = (record.partition(), record.offset());
    if let Some(open) = open {
        let stretch = open.get_mut(&partition)?;
        let end = stretch.end;
        stretch.next = offset + 1;
        if offset + 1 >= end {
            open.remove(&partition);
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
struct ViewEvents(ClientLog);

impl ClientContext for ViewEvents {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        self.0.line(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        // The end of a partition is an answer here.
        if code(&error) != Code::PartitionEOF {
            self.0.error(code(&error), reason);
        }
    }
}

impl ConsumerContext for ViewEvents {}

fn client(cluster: &Cluster, group: &str) -> Result<Arc<Client>, ViewError> {
    let defaults = [
        ("check.crcs", "true"),
        ("isolation.level", "read_committed"),
        ("fetch.wait.max.ms", "100"),
        // All partitions share one queue, so this is what a view holds in memory, and one fetch.
        ("queued.max.messages.kbytes", "8192"),
        ("fetch.queue.backoff.ms", "5"),
    ];
    let owned = [
        ("group.id", group),
        ("enable.auto.commit", "false"),
        ("enable.auto.offset.store", "false"),
        ("enable.partition.eof", "true"),
        // Records at the start may be deleted between the question and the first fetch.
        ("auto.offset.reset", "earliest"),
    ];
    let config: ClientConfig = cluster.client_config(&defaults, &owned);
    let client = config.create_with_context(ViewEvents(ClientLog::default()));
    client.map(Arc::new).map_err(|error| refused(&error))
}

/// Asks brokers on a thread where waiting is allowed.
async fn apart<T: Send + 'static>(
    ask: impl FnOnce() -> Result<T, ViewError> + Send + 'static,
) -> Result<T, ViewError> {
    let ended = |_| ViewError {
        reason: "kafka",
        detail: "the client ended before it answered".to_owned(),
    };
    tokio::task::spawn_blocking(ask).await.map_err(ended)?
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
