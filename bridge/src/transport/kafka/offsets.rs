//! What brokers say about the offsets of a topic. Who asks is blocked until they answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rdkafka::consumer::Consumer;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{Offset, TopicPartitionList};
use tokio::time::Instant;
use tracing::Span;

use super::client::{CLOSING, Client, code};

pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Of what is asked again later: the close of the client may have to wait for it.
pub(super) const BRIEF_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) type Offsets = BTreeMap<i32, i64>;

pub(super) async fn blocking<T: Send + 'static>(
    ask: impl FnOnce() -> KafkaResult<T> + Send + 'static,
) -> KafkaResult<T> {
    let span = Span::current();
    let answer = CLOSING.spawn_blocking(move || span.in_scope(ask));
    answer.await.unwrap_or(Err(KafkaError::Canceled))
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

/// Questions about a topic, with one timeout for all of them.
pub(super) struct Questions<'a> {
    client: &'a Client,
    topic: &'a str,
    deadline: Instant,
}

impl<'a> Questions<'a> {
    pub(super) fn new(client: &'a Client, topic: &'a str, timeout: Duration) -> Self {
        Self {
            client,
            topic,
            deadline: Instant::now() + timeout,
        }
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// With whether each has a leader; none where there is no such topic.
    pub(super) fn partitions(&self) -> KafkaResult<BTreeMap<i32, bool>> {
        let metadata = (self.client).fetch_metadata(Some(self.topic), self.time_left())?;
        let topics = metadata.topics().iter();
        let topics = topics.filter(|it| it.name() == self.topic && it.error().is_none());
        let partitions = topics.flat_map(|found| found.partitions());
        let partitions = partitions.map(|it| (it.id(), it.leader() >= 0));
        Ok(partitions.collect())
    }

    pub(super) fn has_topic(&self) -> KafkaResult<bool> {
        let metadata = (self.client).fetch_metadata(Some(self.topic), self.time_left())?;
        let missing = Some(RDKafkaRespErr::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
        Ok(metadata.topics().iter().all(|it| it.error() != missing))
    }

    /// Where each begins or ends, or has a record of a [time](since) or later. One request to each leader.
    pub(super) fn offsets(
        &self,
        partitions: impl IntoIterator<Item = i32>,
        at: Offset,
    ) -> KafkaResult<Offsets> {
        let mut asked = without_offsets(self.topic, partitions);
        asked.set_all_offsets(at)?;
        // librdkafka does not take an empty list.
        if asked.count() == 0 {
            return Ok(Offsets::new());
        }
        let ask = || read(&(self.client).offsets_for_times(asked.clone(), self.time_left())?);
        // Where a leader has changed, librdkafka tells the error that its own repeat no longer met.
        let found = ask().or_else(|_| ask())?;
        // Every partition has a beginning and an end, if not a record of a time.
        match at {
            Offset::Beginning | Offset::End if found.len() < asked.count() => Err(
                KafkaError::OffsetFetch(RDKafkaErrorCode::OffsetNotAvailable),
            ),
            _ => Ok(found),
        }
    }

    pub(super) fn committed(
        &self,
        partitions: impl IntoIterator<Item = i32>,
    ) -> KafkaResult<Offsets> {
        let asked = without_offsets(self.topic, partitions);
        read(&self.client.committed_offsets(asked, self.time_left())?)
    }
}

/// As librdkafka writes a time where it looks for one.
pub(super) fn since(time: Timestamp) -> Offset {
    Offset::Offset(time.as_millisecond().max(0))
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
    joined(offsets.iter().map(|(it, offset)| format!("{it}@{offset}")))
}

/// For people: `0, 1`.
pub(super) fn joined(all: impl IntoIterator<Item = impl ToString>) -> String {
    let all: Vec<_> = all.into_iter().map(|it| it.to_string()).collect();
    all.join(", ")
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

pub(super) fn read(list: &TopicPartitionList) -> KafkaResult<Offsets> {
    let mut offsets = Offsets::new();
    for element in list.elements() {
        element.error()?;
        if let Offset::Offset(offset) = element.offset() {
            offsets.insert(element.partition(), offset);
        }
    }
    Ok(offsets)
}

/// Returns where it was stored. Not being assigned any more is normal: a verdict may come late.
pub(super) fn store(client: &Client, topic: &str, offsets: Offsets) -> Vec<i32> {
    let stored = list(topic, offsets).and_then(|list| {
        client.store_offsets(&list)?;
        // librdkafka fails only where none of them could be stored.
        let elements = list.elements();
        let stored = elements.iter().filter(|element| element.error().is_ok());
        Ok(stored.map(|element| element.partition()).collect())
    });
    stored.unwrap_or_else(|error| {
        tracing::debug!(code = %code(&error), "offsets were not stored");
        Vec::new()
    })
}
