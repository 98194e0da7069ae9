//! The reader of one partition: from its own queue into its window, as long as there is room.
//!
//! librdkafka fetches whole batches. Where the prefetch limit is less than a batch, a partition
//! without room is paused and drops what was fetched, and paused partitions fetch again by turns.

use std::rc::Rc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use rdkafka::TopicPartitionList;
use rdkafka::consumer::stream_consumer::StreamPartitionQueue;
use rdkafka::consumer::{Consumer, MessageStream};
use rdkafka::error::{KafkaResult, RDKafkaErrorCode};
use rdkafka::message::BorrowedMessage;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::assignment::Assignment;
use crate::delivery::Window;
use crate::transport::kafka::client::{Client, ClientEvents, code};
use crate::transport::kafka::{offsets, record};

/// Enough to spare wake-ups, few enough that others get a turn.
const BATCH_MAX: usize = 128;
/// Without a record: two fetches that find none.
const TURN: Duration = Duration::from_millis(200);

pub(super) struct PartitionReader {
    pub(super) assignment: Rc<Assignment>,
    pub(super) partition: i32,
    pub(super) queue: StreamPartitionQueue<ClientEvents>,
    pub(super) window: Rc<Window>,
}

impl PartitionReader {
    /// May be dropped: records that are not handed over have slots that nobody started.
    pub(super) async fn read(self) {
        let Assignment { source, turns, .. } = &*self.assignment;
        let mut records = self.queue.stream();
        // Then partitions are assigned paused.
        let mut turn = match turns {
            Some(turns) => self.resume(turns).await,
            None => None,
        };
        let mut next = None;
        let prefix = record::position_prefix(&self.assignment.topic, self.partition);
        loop {
            self.waits(true);
            next = match (next, &turn) {
                (None, None) => records.next().await,
                (None, Some(_)) => timeout(TURN, records.next()).await.unwrap_or_default(),
                (next, _) => next,
            };
            self.waits(false);
            let mut taken = Vec::new();
            let mut failure = None;
            while let Some(record) = next {
                match record {
                    Ok(record) => {
                        taken.push(self.window.admit(record::received(&prefix, &record)));
                    }
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
                let may_go_on = taken.len() < BATCH_MAX && self.window.has_room();
                next = match may_go_on {
                    true => records.next().now_or_never().flatten(),
                    false => None,
                };
            }
            if !taken.is_empty() {
                source.allow();
                if self.assignment.intake.push(taken).await.is_err() {
                    return;
                }
            }
            let failure = failure.filter(|error| !source.is_forbidden(error));
            if let Some(reason) = failure.and_then(|error| ends_reading(code(&error))) {
                self.window.hold(reason);
                let (partition, topic) = (self.partition, &*self.assignment.topic);
                // See docs/operations.md.
                let remedy = (reason == "offset-lost").then_some(
                    "what comes next was deleted, or is no longer in the topic: set on_offset_lost = \"earliest\", or reset the group, and reload",
                );
                tracing::error!(
                    topic,
                    partition,
                    reason,
                    remedy,
                    "partition is read no further"
                );
                return;
            }
            (next, turn) = self.room(&mut records, turn).await;
        }
    }

    fn waits(&self, waits: bool) {
        if let Some(opened) = self.assignment.open.borrow().get(&self.partition) {
            opened.waits.set(waits);
        }
    }

    /// Waits for room in the window, and for a turn where there are turns. A paused partition drops
    /// what was fetched when its queue is polled; a record that comes all the same is returned.
    async fn room<'a>(
        &'a self,
        records: &mut MessageStream<'a, ClientEvents>,
        turn: Option<SemaphorePermit<'a>>,
    ) -> (
        Option<KafkaResult<BorrowedMessage<'a>>>,
        Option<SemaphorePermit<'a>>,
    ) {
        if let Some(turns) = &self.assignment.turns
            && !self.window.has_room()
            && self.is_short()
        {
            pause(&self.assignment.client, &self.own_partition());
            let passed_over = records.next().now_or_never().flatten();
            drop(turn);
            return (passed_over, self.resume(turns).await);
        }
        drop(turn);
        self.window.room().await;
        (None, None)
    }

    fn own_partition(&self) -> TopicPartitionList {
        offsets::without_offsets(&self.assignment.topic, [self.partition])
    }

    fn is_short(&self) -> bool {
        self.window.is_short_of(self.assignment.ahead)
    }

    /// The turn lasts as long as the permit.
    async fn resume<'a>(&self, turns: &'a Semaphore) -> Option<SemaphorePermit<'a>> {
        let client = &self.assignment.client;
        loop {
            self.window.room_for(self.assignment.ahead).await;
            self.window.room().await;
            // Never closed.
            let turn = turns.acquire().await.ok();
            if !self.window.has_room() || self.is_short() {
                continue;
            }
            // It may have been revoked; then its reader ends.
            client.resume(&self.own_partition()).ok();
            let mut known = client.context().watchdog.state();
            known.paused.remove(&self.partition);
            return turn;
        }
    }
}

/// What was fetched of them is fetched again later.
pub(super) fn pause(client: &Client, partitions: &TopicPartitionList) {
    let paused = offsets::numbers(partitions);
    client.context().watchdog.state().paused.extend(paused);
    // One that has been revoked is gone.
    client.pause(partitions).ok();
}

/// Nothing where no record is passed over.
fn ends_reading(code: RDKafkaErrorCode) -> Option<&'static str> {
    match code {
        RDKafkaErrorCode::AutoOffsetReset
        | RDKafkaErrorCode::OffsetOutOfRange
        | RDKafkaErrorCode::LogTruncation => Some("offset-lost"),
        // librdkafka has already gone on to the records behind the ones it cannot read.
        RDKafkaErrorCode::BadMessage | RDKafkaErrorCode::BadCompression => {
            Some("record-unreadable")
        }
        // The context has logged it, and librdkafka goes on by itself.
        _ => None,
    }
}
