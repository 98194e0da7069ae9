//! What brokers say about the offsets of a topic. Each request blocks, for [`ANSWER_TIMEOUT`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rdkafka::consumer::Consumer;
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::{Offset, TopicPartitionList};
use tracing::Span;

use super::client::Client;

pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) type Offsets = BTreeMap<i32, i64>;

pub(super) async fn blocking<T: Send + 'static>(
    ask: impl FnOnce() -> KafkaResult<T> + Send + 'static,
) -> KafkaResult<T> {
    let span = Span::current();
    let answer = tokio::task::spawn_blocking(move || span.in_scope(ask)).await;
    answer.unwrap_or(Err(KafkaError::Canceled))
}

/// With a client that nobody else polls: it gets its token first, and another meanwhile.
pub(super) async fn ask<T: Send + 'static>(
    client: &Arc<Client>,
    ask: impl FnOnce(&Client) -> KafkaResult<T> + Send + 'static,
) -> KafkaResult<T> {
    let asked = Arc::clone(client);
    let poll = async {
        loop {
            drop(client.recv().await);
        }
    };
    tokio::select! {
        biased;
        () = poll => Err(KafkaError::Canceled),
        answer = blocking(move || ask(&asked)) => answer,
    }
}

/// With whether each has a leader; none where there is no such topic.
pub(super) fn partitions(client: &Client, topic: &str) -> KafkaResult<BTreeMap<i32, bool>> {
    let metadata = client.fetch_metadata(Some(topic), ANSWER_TIMEOUT)?;
    let topics = metadata.topics().iter();
    let topics = topics.filter(|found| found.name() == topic && found.error().is_none());
    let partitions = topics.flat_map(|found| found.partitions());
    let partitions = partitions.map(|it| (it.id(), it.leader() >= 0));
    Ok(partitions.collect())
}

pub(super) fn watermarks(
    client: &Client,
    topic: &str,
    partitions: impl IntoIterator<Item = i32>,
) -> KafkaResult<BTreeMap<i32, (i64, i64)>> {
    let watermarks = |partition| {
        let offsets = client.fetch_watermarks(topic, partition, ANSWER_TIMEOUT)?;
        Ok((partition, offsets))
    };
    partitions.into_iter().map(watermarks).collect()
}

/// The ends of all of them, in one request.
pub(super) fn ends(
    client: &Client,
    topic: &str,
    partitions: impl IntoIterator<Item = i32>,
    timeout: Duration,
) -> KafkaResult<Offsets> {
    let mut asked = TopicPartitionList::new();
    for partition in partitions {
        asked.add_partition_offset(topic, partition, Offset::End)?;
    }
    read(&client.offsets_for_times(asked, timeout)?)
}

/// Where there is a record at `time` or later.
pub(super) fn at_time(
    client: &Client,
    topic: &str,
    partitions: impl IntoIterator<Item = i32>,
    time: Timestamp,
) -> KafkaResult<Offsets> {
    let moment = time.as_millisecond().max(0);
    let asked = list(topic, partitions.into_iter().map(|it| (it, moment)))?;
    read(&client.offsets_for_times(asked, ANSWER_TIMEOUT)?)
}

pub(super) fn committed(
    client: &Client,
    topic: &str,
    partitions: impl IntoIterator<Item = i32>,
) -> KafkaResult<Offsets> {
    let asked = without_offsets(topic, partitions);
    read(&client.committed_offsets(asked, ANSWER_TIMEOUT)?)
}

pub(super) fn without_offsets(
    topic: &str,
    partitions: impl IntoIterator<Item = i32>,
) -> TopicPartitionList {
    let mut list = TopicPartitionList::new();
    for partition in partitions {
        list.add_partition(topic, partition);
    }
    list
}

/// For people: `0@17, 1@4`.
pub(super) fn text(offsets: &Offsets) -> String {
    let offsets = offsets.iter().map(|(it, offset)| format!("{it}@{offset}"));
    offsets.collect::<Vec<_>>().join(", ")
}

pub(super) fn numbers(partitions: &TopicPartitionList) -> Vec<i32> {
    let partitions = partitions.elements();
    partitions.iter().map(|it| it.partition()).collect()
}

pub(super) fn list(
    topic: &str,
    offsets: impl IntoIterator<Item = (i32, i64)>,
) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::new();
    for (partition, offset) in offsets {
        list.add_partition_offset(topic, partition, Offset::Offset(offset))?;
    }
    Ok(list)
}

fn read(list: &TopicPartitionList) -> KafkaResult<Offsets> {
    let mut offsets = Offsets::new();
    for element in list.elements() {
        element.error()?;
        if let Offset::Offset(offset) = element.offset() {
            offsets.insert(element.partition(), offset);
        }
    }
    Ok(offsets)
}
