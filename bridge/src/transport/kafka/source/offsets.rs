//! Offsets: where a partition starts, and what is committed.

use std::sync::Arc;

use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::{Offset, TopicPartitionList};

use super::latest::{Beginning, beginning, later};
use super::{ANSWER_TIMEOUT, Client};
use crate::delivery::{Position, Window};
use crate::transport::Start;

/// What to commit for a window: the offset behind its watermark.
pub(super) fn to_commit(window: &Window) -> Option<i64> {
    match window.watermark()? {
        Position::Kafka { offset, .. } => Some(offset + 1),
        _ => None,
    }
}

/// A list of partitions of one topic at given offsets.
///
/// # Errors
/// When an offset is negative.
pub(super) fn list(topic: &str, offsets: &[(i32, Offset)]) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::with_capacity(offsets.len());
    for &(partition, offset) in offsets {
        list.add_partition_offset(topic, partition, offset)?;
    }
    Ok(list)
}

/// What is known of where partitions start.
pub(super) enum Starts {
    /// Where each of them starts.
    Known(Vec<(i32, Offset)>),
    /// Another member is about to say; ask again.
    Elsewhere,
}

/// Where `partitions` start: at what the group committed, else where `start` says. Blocks for
/// [`ANSWER_TIMEOUT`] at most for each question to the brokers.
///
/// # Errors
/// When a broker did not answer; ask again.
pub(super) fn starting(
    client: &Arc<Client>,
    topic: &str,
    partitions: &[i32],
    start: Start,
) -> KafkaResult<Starts> {
    let (known, fresh): (Vec<_>, Vec<_>) = committed(client, topic, partitions)?
        .into_iter()
        .partition(|(_, offset)| matches!(offset, Offset::Offset(_)));
    let fresh: Vec<i32> = fresh.into_iter().map(|(partition, _)| partition).collect();
    let fresh = match start {
        _ if fresh.is_empty() => Vec::new(),
        Start::Earliest => at(&fresh, Offset::Beginning),
        Start::Latest => {
            let all = partitions_of(client, topic)?;
            let committed = committed(client, topic, &all)?;
            match beginning(&committed, partitions) {
                Beginning::Later => {
                    let starts = later(&committed, &fresh);
                    tracing::info!(topic, ?starts, "new partitions start at their first record");
                    starts
                }
                Beginning::Here => {
                    let mut ends = pinned(client, topic, ends(client, topic, &all)?)?;
                    ends.retain(|(partition, _)| fresh.contains(partition));
                    ends
                }
                Beginning::Elsewhere => return Ok(Starts::Elsewhere),
            }
        }
        Start::Time(time) => {
            let asked = list(
                topic,
                &at(&fresh, Offset::Offset(time.as_millisecond().max(0))),
            )?;
            let mut found = read(&client.offsets_for_times(asked, ANSWER_TIMEOUT)?)?;
            for (partition, offset) in &mut found {
                if !matches!(offset, Offset::Offset(_)) {
                    *offset = end(client, topic, *partition)?;
                }
            }
            pinned(client, topic, found)?
        }
    };
    Ok(Starts::Known([known, fresh].concat()))
}

/// What the group committed in `partitions`.
fn committed(
    client: &Arc<Client>,
    topic: &str,
    partitions: &[i32],
) -> KafkaResult<Vec<(i32, Offset)>> {
    let asked = list(topic, &at(partitions, Offset::Invalid))?;
    read(&client.committed_offsets(asked, ANSWER_TIMEOUT)?)
}

/// Every partition of the topic.
fn partitions_of(client: &Arc<Client>, topic: &str) -> KafkaResult<Vec<i32>> {
    let metadata = client.fetch_metadata(Some(topic), ANSWER_TIMEOUT)?;
    let partitions = metadata
        .topics()
        .iter()
        .flat_map(|topic| topic.partitions());
    Ok(partitions.map(|partition| partition.id()).collect())
}

/// Commits where to start, so that a crash before the first commit does not move the start.
fn pinned(
    client: &Arc<Client>,
    topic: &str,
    offsets: Vec<(i32, Offset)>,
) -> KafkaResult<Vec<(i32, Offset)>> {
    client.commit(&list(topic, &offsets)?, CommitMode::Sync)?;
    Ok(offsets)
}

/// Where `partitions` end. Blocks for [`ANSWER_TIMEOUT`] at most for each of them.
///
/// # Errors
/// When a broker did not answer.
pub(super) fn ends(
    client: &Arc<Client>,
    topic: &str,
    partitions: &[i32],
) -> KafkaResult<Vec<(i32, Offset)>> {
    let end = |&partition: &i32| Ok((partition, end(client, topic, partition)?));
    partitions.iter().map(end).collect()
}

fn end(client: &Arc<Client>, topic: &str, partition: i32) -> KafkaResult<Offset> {
    let (_, high) = client.fetch_watermarks(topic, partition, ANSWER_TIMEOUT)?;
    Ok(Offset::Offset(high))
}

fn at(partitions: &[i32], offset: Offset) -> Vec<(i32, Offset)> {
    partitions
        .iter()
        .map(|&partition| (partition, offset))
        .collect()
}

fn read(list: &TopicPartitionList) -> Result<Vec<(i32, Offset)>, KafkaError> {
    let elements = list.elements();
    let offset = |element: &rdkafka::topic_partition_list::TopicPartitionListElem<'_>| {
        element
            .error()
            .map(|()| (element.partition(), element.offset()))
    };
    elements.iter().map(offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::window::Capacity;
    use crate::delivery::{Received, Verdict};

    #[test]
    fn what_is_committed_lies_behind_the_last_settled_record() {
        let window = Window::partition(Capacity {
            events: 9,
            bytes: 9,
        });
        assert_eq!(to_commit(&window), None);
        let mut taken = [40, 43].map(|offset| {
            Some(window.admit(Received {
                binding: &cloudevents_nl_codec::KAFKA,
                headers: cloudevents_nl_codec::HeaderList::default(),
                key: None,
                body: None,
                timestamp_ms: None,
                position: Position::Kafka {
                    topic: "t".into(),
                    partition: 0,
                    offset,
                },
                defect: None,
            }))
        });
        for (index, expected) in [(1, None), (0, Some(44))] {
            let delivery = taken[index].take();
            delivery
                .into_iter()
                .for_each(|delivery| delivery.settle(Verdict::Delivered));
            assert_eq!(to_commit(&window), expected);
        }
    }
}
