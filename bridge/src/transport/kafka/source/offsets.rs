//! Offsets: where a partition starts, and what is committed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::{Offset, TopicPartitionList};

use super::beginning::{Beginning, beginning, is_committed};
use super::{ANSWER_TIMEOUT, Client};
use crate::config::Start;
use crate::delivery::{Position, Window};

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
    Known {
        /// At what the group had committed.
        committed: Vec<(i32, Offset)>,
        /// Where the group begins; it is committed by now.
        begun: Vec<(i32, Offset)>,
    },
    /// Another member is about to say; ask again.
    Elsewhere,
}

/// Where the partitions `assigned` start: at what the group committed, else where `start` says. Blocks
/// for [`ANSWER_TIMEOUT`] at most for each question to the brokers.
///
/// # Errors
/// When a broker did not answer; ask again.
pub(super) fn starting(
    client: &Arc<Client>,
    topic: &str,
    assigned: &[i32],
    start: Start,
) -> KafkaResult<Starts> {
    let mut all = partitions_of(client, topic)?;
    all.extend(assigned);
    let all: Vec<i32> = all.into_iter().collect();
    let mut committed = committed(client, topic, &all)?;
    let mut begun = match beginning(&committed, assigned, start) {
        Beginning::FirstRecord(fresh) => begin(client, topic, &fresh, Start::Earliest)?,
        Beginning::Here => begin(client, topic, &all, start)?,
        Beginning::Elsewhere => return Ok(Starts::Elsewhere),
    };
    let is_own = |partition: &i32| assigned.contains(partition);
    begun.retain(|(partition, _)| is_own(partition));
    committed.retain(|(partition, offset)| is_own(partition) && is_committed(*offset));
    Ok(Starts::Known { committed, begun })
}

/// Finds where `partitions` begin under `start`, and commits it.
fn begin(
    client: &Arc<Client>,
    topic: &str,
    partitions: &[i32],
    start: Start,
) -> KafkaResult<Vec<(i32, Offset)>> {
    let mut begun = Vec::with_capacity(partitions.len());
    for &partition in partitions {
        let (low, high) = client.fetch_watermarks(topic, partition, ANSWER_TIMEOUT)?;
        let is_earliest = start == Start::Earliest;
        begun.push((
            partition,
            Offset::Offset(if is_earliest { low } else { high }),
        ));
    }
    if let Start::Time(time) = start {
        // After the ends: what is written between the questions lies behind the end.
        let moment = Offset::Offset(time.as_millisecond().max(0));
        let asked = list(topic, &at(partitions, moment))?;
        let found = read(&client.offsets_for_times(asked, ANSWER_TIMEOUT)?)?;
        let found = found
            .into_iter()
            .filter(|(_, offset)| is_committed(*offset));
        let found: BTreeMap<_, _> = found.collect();
        for (partition, end) in &mut begun {
            *end = found.get(partition).copied().unwrap_or(*end);
        }
    }
    if !begun.is_empty() {
        tracing::info!(topic, ?begun, "the group begins");
        client.commit(&list(topic, &begun)?, CommitMode::Sync)?;
    }
    Ok(begun)
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
fn partitions_of(client: &Arc<Client>, topic: &str) -> KafkaResult<BTreeSet<i32>> {
    let metadata = client.fetch_metadata(Some(topic), ANSWER_TIMEOUT)?;
    let partitions = metadata
        .topics()
        .iter()
        .flat_map(|topic| topic.partitions());
    Ok(partitions.map(|partition| partition.id()).collect())
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
    let end = |&partition: &i32| {
        let (_, high) = client.fetch_watermarks(topic, partition, ANSWER_TIMEOUT)?;
        Ok((partition, Offset::Offset(high)))
    };
    partitions.iter().map(end).collect()
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
    use crate::delivery::share::Share;
    use crate::delivery::window::Capacity;
    use crate::delivery::{Received, Verdict};

    #[test]
    fn what_is_committed_lies_behind_the_last_settled_record() {
        let capacity = Capacity {
            events: 9,
            bytes: 9,
        };
        let window = Window::partition(capacity, &Share::unbounded());
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
