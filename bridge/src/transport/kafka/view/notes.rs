//! Notes as committed offsets of a group that has no members: the offset is the first record that is
//! not done, so that the lag of the group shows what is left, and its metadata is what is done behind.
//!
//! Kafka forgets the offsets of a group without members after `offsets.retention.minutes`, a week by
//! default.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::{Offset, TopicPartitionList};

use super::{ANSWER_TIMEOUT, Client, Note, Notes, ViewError, apart, offsets};

pub(super) struct GroupNotes {
    pub(super) client: Arc<Client>,
    pub(super) topic: Arc<str>,
}

impl Notes for GroupNotes {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Note>, ViewError>> {
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let read = apart(move || read(&client, &topic));
        read.err_into().boxed_local()
    }

    fn write(&self, notes: BTreeMap<i32, Note>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        let write = apart(move || write(&client, &topic, &notes));
        write.err_into().boxed_local()
    }
}

fn read(client: &Client, topic: &str) -> KafkaResult<BTreeMap<i32, Note>> {
    let mut asked = TopicPartitionList::new();
    for partition in offsets::partitions(client, topic)?.into_keys() {
        asked.add_partition(topic, partition);
    }
    let mut notes = BTreeMap::new();
    for element in client.committed_offsets(asked, ANSWER_TIMEOUT)?.elements() {
        element.error()?;
        if let Offset::Offset(next) = element.offset() {
            let note = Note {
                next: u64::try_from(next).unwrap_or_default(),
                beyond: element.metadata().to_owned(),
            };
            notes.insert(element.partition(), note);
        }
    }
    Ok(notes)
}

fn write(client: &Client, topic: &str, notes: &BTreeMap<i32, Note>) -> KafkaResult<()> {
    let mut list = TopicPartitionList::new();
    for (&partition, note) in notes {
        let mut element = list.add_partition(topic, partition);
        element.set_offset(Offset::Offset(i64::try_from(note.next).unwrap_or(i64::MAX)))?;
        element.set_metadata(&note.beyond);
    }
    // Bounded by the timeouts of the client's own requests.
    client.commit(&list, CommitMode::Sync)
}
