//! The reader of one partition: from its own queue into its window, as long as there is room.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::{FutureExt, Stream, StreamExt};
use rdkafka::TopicPartitionList;
use rdkafka::consumer::Consumer;
use rdkafka::consumer::stream_consumer::StreamPartitionQueue;
use rdkafka::error::{KafkaResult, RDKafkaErrorCode};
use rdkafka::message::BorrowedMessage;

use super::config::MOST_FETCHED;
use super::{Client, ConsumerEvents, KafkaSource};
use crate::delivery::Window;
use crate::transport::Intake;
use crate::transport::kafka::client::code;
use crate::transport::kafka::record;

/// Most records handed over in one go: enough to spare wake-ups, few enough that others get a turn.
const MOST: usize = 128;

/// Reads one partition while its route takes what is read.
pub(super) struct PartitionReader {
    pub(super) client: Arc<Client>,
    pub(super) source: Rc<KafkaSource>,
    pub(super) topic: Arc<str>,
    pub(super) partition: i32,
    pub(super) queue: StreamPartitionQueue<ConsumerEvents>,
    pub(super) window: Rc<Window>,
    /// Most bytes of the partition that librdkafka may fetch ahead.
    pub(super) ahead: usize,
    pub(super) intake: Intake,
}

impl PartitionReader {
    /// Reads until the route ends or the partition is held. May be dropped at any moment: what was
    /// taken and not handed over has slots that nobody started.
    pub(super) async fn read(self) {
        let mut records = self.queue.stream();
        let place = record::place(&self.topic, self.partition);
        loop {
            let mut next = match self.room(&mut records).await {
                None => records.next().await,
                passed_over => passed_over,
            };
            let mut taken = Vec::new();
            let mut failure = None;
            while let Some(record) = next {
                match record {
                    Ok(record) => {
                        taken.push(self.window.admit(record::received(&place, &record)));
                    }
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
                let may_go_on = taken.len() < MOST && self.window.has_room();
                next = match may_go_on {
                    true => records.next().now_or_never().flatten(),
                    false => None,
                };
            }
            if !taken.is_empty() {
                self.source.allow();
                if self.intake.push(taken).await.is_err() {
                    return;
                }
            }
            let failure = failure.filter(|error| !self.source.is_forbidden(error));
            if let Some(reason) = failure.and_then(|error| ends_reading(code(&error))) {
                self.window.hold(reason);
                let (partition, topic) = (self.partition, &*self.topic);
                tracing::error!(topic, partition, reason, "partition is read no further");
                return;
            }
        }
    }

    /// Waits until the window has room. librdkafka fetches a batch whole, however little it may fetch
    /// ahead; so where that is less than a batch, a partition that waits is paused, and what was
    /// fetched of it is let go by looking for a record. There is none; if there is, it is returned.
    async fn room<'a, R>(&self, records: &mut R) -> Option<R::Item>
    where
        R: Stream<Item = KafkaResult<BorrowedMessage<'a>>> + Unpin,
    {
        let mut passed_over = None;
        let is_short = || self.window.is_short_of(self.ahead.max(1));
        if self.ahead < MOST_FETCHED && !self.window.has_room() && is_short() {
            let _paused = Paused::new(self);
            passed_over = records.next().now_or_never().flatten();
            self.window.room_for(self.ahead.max(1)).await;
        }
        self.window.room().await;
        passed_over
    }
}

/// A partition that is not fetched. What was fetched already is let go, and fetched again later.
struct Paused<'a> {
    reader: &'a PartitionReader,
    list: TopicPartitionList,
}

impl<'a> Paused<'a> {
    fn new(reader: &'a PartitionReader) -> Self {
        let mut list = TopicPartitionList::new();
        list.add_partition(&reader.topic, reader.partition);
        let watchdog = &reader.client.context().watchdog;
        watchdog.paused().insert(reader.partition);
        // It may have been revoked; then its reader ends.
        if let Err(error) = reader.client.pause(&list) {
            tracing::debug!(%error, "a partition that is to be paused is gone");
        }
        Self { reader, list }
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        let PartitionReader {
            client, partition, ..
        } = self.reader;
        if let Err(error) = client.resume(&self.list) {
            tracing::debug!(%error, "a partition that was paused is gone");
        }
        client.context().watchdog.paused().remove(partition);
    }
}

/// Why the partition cannot be read on after an error; nothing when no record is passed over.
fn ends_reading(code: RDKafkaErrorCode) -> Option<&'static str> {
    match code {
        RDKafkaErrorCode::AutoOffsetReset
        | RDKafkaErrorCode::OffsetOutOfRange
        | RDKafkaErrorCode::LogTruncation => Some("offset-lost"),
        // librdkafka has already gone on to the records behind the ones it cannot read.
        RDKafkaErrorCode::BadMessage | RDKafkaErrorCode::BadCompression => {
            Some("record-unreadable")
        }
        // Told to the context already, and librdkafka goes on by itself.
        _ => None,
    }
}
