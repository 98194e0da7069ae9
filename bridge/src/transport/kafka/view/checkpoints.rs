//! Checkpoints as committed offsets of a group without members: the lag of the group shows what is
//! left, and the metadata is what is done behind. Kafka deletes them after
//! `offsets.retention.minutes`, a week by default.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::{Offset, TopicPartitionList};

use super::{ANSWER_TIMEOUT, Questions, ViewClient, ViewError, ask, offsets};
use crate::transport::view::{Checkpoint, CheckpointStore};

pub(super) struct GroupCheckpoints {
    pub(super) client: ViewClient,
    pub(super) topic: Arc<str>,
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
