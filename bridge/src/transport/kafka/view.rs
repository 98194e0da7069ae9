//! Looks at a topic: partitions are assigned directly, so brokers know no member and keep nothing.
//! A client that knows no broker any more, or is stuck, is replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::try_unfold;
use futures_util::{FutureExt, TryFutureExt};
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode as Code};
use rdkafka::{Message, Offset, TopicPartitionList};
use tokio::task::spawn;
use tokio::time::timeout;
use tracing::Instrument;

use super::client::{Client, ClientEvents, ClosedInBackground, code, error_text};
use super::connection::KafkaCluster;
use super::entry::address;
use super::offsets::{self, ANSWER_TIMEOUT, Offsets, Questions, ask, since};
use super::record::{position_prefix, received};
use super::stuck_consumer;
use crate::credentials::NoToken;
use crate::transport::address::Address;
use crate::transport::view::{
    Checkpoint, CheckpointStore, OpenView, PartitionOffset, Span, View, ViewError, ViewStart,
    Viewed,
};

/// librdkafka wants a group before it assigns anything; nobody ever joins it.
pub(super) const VIEW_GROUP: &str = "cenl-view";

/// Of partitions, what is left to read.
type Ranges = BTreeMap<i32, Range<i64>>;

pub(super) type ViewClient = ClosedInBackground<Arc<Client>>;

#[derive(Clone, Debug)]
pub(super) struct KafkaView {
    cluster: KafkaCluster,
    topic: Arc<str>,
}

impl KafkaView {
    pub(super) fn boxed(cluster: &KafkaCluster, topic: &str) -> Box<dyn OpenView> {
        Box::new(Self {
            cluster: cluster.clone(),
            topic: topic.into(),
        })
    }

    fn watched(&self) -> KafkaResult<ViewClient> {
        let client = client(&self.cluster, VIEW_GROUP)?;
        let (reads, topic) = (Arc::downgrade(&client), Arc::clone(&self.topic));
        let watch = stuck_consumer::watch(reads, topic, || true);
        drop(spawn(watch.in_current_span()));
        Ok(client)
    }
}

impl OpenView for KafkaView {
    fn address(&self) -> Address {
        address(&self.cluster, &self.topic)
    }

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<View, ViewError>> {
        async move {
            self.cluster.ready().await?;
            let (client, topic) = (self.watched()?, Arc::clone(&self.topic));
            let ranges = ask(&client, move |client| ranges(client, &topic, span.start)).await?;
            let (mut left, shortened) = ranges;
            if left.is_empty() {
                let what = "kafka: there is no such topic, or it may not be read";
                return Err(ViewError::Failed(what.to_owned()));
            }
            left.retain(|_, range| span.follows || !range.is_empty());
            client.assign(&assignment(&self.topic, &left)?)?;
            let view = TopicView {
                place: self.clone(),
                client,
                left,
                follows: span.follows,
            };
            let records = try_unfold(view, |mut view| async move {
                Ok(view.next().await?.map(|viewed| (viewed, view)))
            });
            Ok(View::new(records, shortened))
        }
        .boxed_local()
    }

    fn checkpoints(
        &self,
        name: &str,
    ) -> LocalBoxFuture<'_, Result<Box<dyn CheckpointStore>, ViewError>> {
        let topic = Arc::clone(&self.topic);
        let client = client(&self.cluster, name);
        async move {
            self.cluster.ready().await?;
            let client = client?;
            Ok(Box::new(GroupCheckpoints { client, topic }) as Box<dyn CheckpointStore>)
        }
        .boxed_local()
    }
}

struct TopicView {
    place: KafkaView,
    client: ViewClient,
    left: Ranges,
    follows: bool,
}

impl TopicView {
    async fn next(&mut self) -> Result<Option<Viewed>, ViewError> {
        while !self.left.is_empty() {
            let received = tokio::select! {
                received = self.client.recv() => received,
                () = self.client.context().watchdog.triggered() => {
                    self.replace_client()?;
                    continue;
                }
            };
            match received {
                Ok(record) => {
                    let viewed = viewed(&self.place.topic, &mut self.left, self.follows, &record);
                    if viewed.is_some() {
                        return Ok(viewed);
                    }
                }
                Err(KafkaError::PartitionEOF(partition)) if !self.follows => {
                    self.left.remove(&partition);
                }
                Err(error) if is_final(&error) => return Err(error.into()),
                // The context has logged it, and librdkafka goes on by itself.
                Err(_) => {}
            }
        }
        Ok(None)
    }

    fn replace_client(&mut self) -> KafkaResult<()> {
        tracing::warn!("kafka consumer will not find back and is made anew");
        let client = self.place.watched()?;
        client.assign(&assignment(&self.place.topic, &self.left)?)?;
        self.client = client;
        Ok(())
    }
}

/// With the partitions that begin before theirs.
fn ranges(client: &Client, topic: &str, start: ViewStart) -> KafkaResult<(Ranges, BTreeSet<i32>)> {
    let questions = Questions::new(client, topic, ANSWER_TIMEOUT);
    let partitions: Vec<i32> = questions.partitions()?.into_keys().collect();
    let offsets = |at| questions.offsets(partitions.iter().copied(), at);
    let (lows, highs) = (offsets(Offset::Beginning)?, offsets(Offset::End)?);
    let found = match start {
        ViewStart::Time(time) => offsets(since(time))?,
        _ => Offsets::new(),
    };
    let mut shortened = BTreeSet::new();
    let range = |(partition, low): (i32, i64)| {
        let high = *highs.get(&partition)?;
        let first = match start {
            ViewStart::Earliest => low,
            ViewStart::Last(count) => high.saturating_sub_unsigned(count),
            ViewStart::Time(_) | ViewStart::End => found.get(&partition).copied().unwrap_or(high),
        };
        if first > low {
            shortened.insert(partition);
        }
        Some((partition, first.max(low)..high))
    };
    Ok((lows.into_iter().filter_map(range).collect(), shortened))
}

fn assignment(topic: &str, left: &Ranges) -> KafkaResult<TopicPartitionList> {
    let starts = left.iter().map(|(it, range)| (*it, range.start));
    offsets::list(topic, starts)
}

/// The record, unless it came after the end that was there at the start.
fn viewed(
    topic: &Arc<str>,
    left: &mut Ranges,
    follows: bool,
    record: &impl Message,
) -> Option<Viewed> {
    let (partition, offset) = (record.partition(), record.offset());
    let range = left.get_mut(&partition)?;
    let is_behind = offset >= range.end;
    range.start = offset + 1;
    if !follows && range.is_empty() {
        left.remove(&partition);
    }
    if !follows && is_behind {
        return None;
    }
    let received = received(&position_prefix(topic, partition), record);
    Some(Viewed {
        time_ms: received.timestamp_ms,
        received,
        at: PartitionOffset {
            partition,
            offset: u64::try_from(offset).unwrap_or_default(),
        },
    })
}

pub(super) fn client(cluster: &KafkaCluster, group: &str) -> KafkaResult<ViewClient> {
    let defaults = [
        // All partitions share one queue, so this is what a view holds in memory, and one fetch.
        ("queued.max.messages.kbytes", "8192"),
    ];
    let owned = [
        ("group.id", group),
        ("enable.partition.eof", "true"),
        ("allow.auto.create.topics", "false"),
        // Records at the start may be deleted before the first fetch.
        ("auto.offset.reset", "earliest"),
    ];
    let config = cluster.consumer_config(&defaults, &owned);
    let events = ClientEvents::new(tracing::Span::current(), cluster.token.clone());
    let client = config.create_with_context(events)?;
    Ok(ClosedInBackground::new(Arc::new(client)))
}

pub(super) async fn partitions(cluster: &KafkaCluster, topic: &str) -> KafkaResult<i32> {
    cluster.ready().await.map_err(|_| KafkaError::Canceled)?;
    let client = client(cluster, VIEW_GROUP)?;
    let topic = topic.to_owned();
    let partitions = ask(&client, move |client| {
        Questions::new(client, &topic, ANSWER_TIMEOUT).partitions()
    });
    let partitions = partitions.await?;
    Ok(partitions.last_key_value().map_or(0, |(last, _)| last + 1))
}

/// Whether the end of the first partition is told.
pub(super) async fn may_read(
    cluster: &KafkaCluster,
    topic: &str,
    wait: Duration,
) -> KafkaResult<()> {
    let client = client(cluster, VIEW_GROUP)?;
    let mut end = TopicPartitionList::new();
    end.add_partition_offset(topic, 0, Offset::End)?;
    client.assign(&end)?;
    match timeout(wait, client.recv()).await {
        Ok(Ok(_) | Err(KafkaError::PartitionEOF(_))) => Ok(()),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(KafkaError::MessageConsumption(Code::OperationTimedOut)),
    }
}

/// Committed offsets of a group without members: the lag of the group shows what is left, and the metadata is
/// what is done behind. Kafka deletes them after `offsets.retention.minutes`, a week by default.
struct GroupCheckpoints {
    client: ViewClient,
    topic: Arc<str>,
}

impl CheckpointStore for GroupCheckpoints {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>> {
        let topic = Arc::clone(&self.topic);
        let read = ask(&self.client, move |client| {
            let questions = Questions::new(client, &topic, ANSWER_TIMEOUT);
            let partitions = questions.partitions()?.into_keys();
            let asked = offsets::without_offsets(&topic, partitions);
            let mut notes = BTreeMap::new();
            for element in client.committed_offsets(asked, ANSWER_TIMEOUT)?.elements() {
                element.error()?;
                if let Offset::Offset(next) = element.offset() {
                    let next = u64::try_from(next).unwrap_or_default();
                    let beyond = element.metadata().to_owned();
                    notes.insert(element.partition(), Checkpoint { next, beyond });
                }
            }
            Ok(notes)
        });
        read.err_into().boxed_local()
    }

    fn write(&self, notes: BTreeMap<i32, Checkpoint>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        let topic = Arc::clone(&self.topic);
        let write = ask(&self.client, move |client| {
            let mut list = TopicPartitionList::new();
            for (partition, note) in notes {
                let mut element = list.add_partition(&topic, partition);
                element.set_offset(Offset::Offset(i64::try_from(note.next).unwrap_or(i64::MAX)))?;
                element.set_metadata(&note.beyond);
            }
            // Bounded by the timeouts of the client's own requests.
            client.commit(&list, CommitMode::Sync)
        });
        write.err_into().boxed_local()
    }
}

impl From<KafkaError> for ViewError {
    fn from(error: KafkaError) -> Self {
        Self::Failed(format!("kafka: {}", error_text(&error)))
    }
}

impl From<NoToken> for ViewError {
    fn from(error: NoToken) -> Self {
        Self::Failed(error.to_string())
    }
}

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
