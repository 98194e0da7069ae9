//! Notes as committed offsets of a group that has no members: the offset is the first record that is
//! not done, so that the lag of the group shows what is left, and its metadata is what is done behind.
//!
//! Kafka forgets the offsets of a group without members after `offsets.retention.minutes`, a week by
//! default.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::{Offset, TopicPartitionList};

use super::{ANSWER_TIMEOUT, Client, Note, Notes, ViewError, apart, marks, refused};

pub(super) struct GroupNotes {
    pub(super) client: Arc<Client>,
    pub(super) topic: Arc<str>,
}

impl Notes for GroupNotes {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Note>, ViewError>> {
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        apart(move || read(&client, &topic)).boxed_local()
    }

    fn write(&self, notes: BTreeMap<i32, Note>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        let (client, topic) = (Arc::clone(&self.client), Arc::clone(&self.topic));
        apart(move || write(&client, &topic, &notes)).boxed_local()
    }
}

fn read(client: &Client, topic: &str) -> Result<BTreeMap<i32, Note>, ViewError> {
    let mut asked = TopicPartitionList::new();
    for partition in marks::partitions(client, topic)? {
        asked.add_partition(topic, partition);
    }
    let found = client.committed_offsets(asked, ANSWER_TIMEOUT);
    let found = found.map_err(|error| refused(&error))?;
    let mut notes = BTreeMap::new();
    for element in found.elements() {
        element.error().map_err(|error| refused(&error))?;
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

fn write(client: &Client, topic: &str, notes: &BTreeMap<i32, Note>) -> Result<(), ViewError> {
    let mut list = TopicPartitionList::new();
    for (&partition, note) in notes {
        let mut element = list.add_partition(topic, partition);
        let next = Offset::Offset(i64::try_from(note.next).unwrap_or(i64::MAX));
        element.set_offset(next).map_err(|error| refused(&error))?;
        element.set_metadata(&note.beyond);
    }
    // Bounded by the timeouts of the client's own requests.
    client
        .commit(&list, CommitMode::Sync)
        .map_err(|error| refused(&error))
}
