//! Where to begin in each partition, and where the end is.

use std::collections::BTreeMap;

use rdkafka::consumer::Consumer;
use rdkafka::error::KafkaError;
use rdkafka::{Offset, TopicPartitionList};

use super::{ANSWER_TIMEOUT, Client, refused};
use crate::transport::view::{ViewError, ViewStart};

/// What is left to read of a partition: from `next` up to `end`, which is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) next: i64,
    pub(super) end: i64,
}

/// The stretch of every partition. Blocks for [`ANSWER_TIMEOUT`] at most for each question.
pub(super) fn stretches(
    client: &Client,
    topic: &str,
    start: ViewStart,
) -> Result<BTreeMap<i32, Stretch>, ViewError> {
    let asked = |result: Result<_, KafkaError>| result.map_err(|error| refused(&error));
    let mut stretches = BTreeMap::new();
    for partition in partitions(client, topic)? {
        let (low, high) = asked(client.fetch_watermarks(topic, partition, ANSWER_TIMEOUT))?;
        let next = match start {
            ViewStart::Earliest | ViewStart::Time(_) => low,
            ViewStart::End => high,
        };
        stretches.insert(partition, Stretch { next, end: high });
    }
    if let ViewStart::Time(time) = start {
        let moment = Offset::Offset(time.as_millisecond().max(0));
        let mut list = TopicPartitionList::new();
        for partition in stretches.keys() {
            list.add_partition_offset(topic, *partition, moment)
                .map_err(|error| refused(&error))?;
        }
        let found = client.offsets_for_times(list, ANSWER_TIMEOUT);
        let found = found.map_err(|error| refused(&error))?;
        for (partition, stretch) in &mut stretches {
            let at = found.find_partition(topic, *partition);
            stretch.next = match at.map(|element| element.offset()) {
                Some(Offset::Offset(offset)) => offset.max(stretch.next),
                // Nothing in it is as young.
                _ => stretch.end,
            };
        }
    }
    Ok(stretches)
}

/// What to assign.
pub(super) fn assignment(
    topic: &str,
    stretches: &BTreeMap<i32, Stretch>,
) -> Result<TopicPartitionList, ViewError> {
    let mut list = TopicPartitionList::new();
    for (partition, stretch) in stretches {
        list.add_partition_offset(topic, *partition, Offset::Offset(stretch.next))
            .map_err(|error| refused(&error))?;
    }
    Ok(list)
}

/// Every partition of the topic.
pub(super) fn partitions(client: &Client, topic: &str) -> Result<Vec<i32>, ViewError> {
    let metadata = client.fetch_metadata(Some(topic), ANSWER_TIMEOUT);
    let metadata = metadata.map_err(|error| refused(&error))?;
    let partitions: Vec<i32> = metadata
        .topics()
        .iter()
        .filter(|found| found.name() == topic && found.error().is_none())
        .flat_map(|found| found.partitions())
        .map(|partition| partition.id())
        .collect();
    if partitions.is_empty() {
        return Err(ViewError {
            reason: "kafka",
            detail: "there is no such topic, or it may not be read".to_owned(),
        });
    }
    Ok(partitions)
}
