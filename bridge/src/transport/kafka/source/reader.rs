//! The reader of one partition: from its own queue into its window, as long as there is room.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::{FutureExt, StreamExt};
use rdkafka::Offset;
use rdkafka::consumer::Consumer;
use rdkafka::consumer::stream_consumer::StreamPartitionQueue;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tokio::time::sleep;

use super::{AGAIN, ANSWER_TIMEOUT, Client, ConsumerEvents};
use crate::delivery::Window;
use crate::transport::Intake;
use crate::transport::kafka::client::code;
use crate::transport::kafka::record;
use crate::transport::kafka::settings::OnOffsetLost;

/// Most records handed over in one go: enough to spare wake-ups, few enough that others get a turn.
const MOST: usize = 128;

/// Reads one partition while its route takes what is read.
pub(super) struct Reader {
    pub(super) client: Arc<Client>,
    pub(super) topic: Arc<str>,
    pub(super) partition: i32,
    pub(super) queue: StreamPartitionQueue<ConsumerEvents>,
    pub(super) window: Rc<Window>,
    pub(super) intake: Intake,
    pub(super) on_offset_lost: OnOffsetLost,
}

impl Reader {
    /// Reads until the route ends or the partition is held. May be dropped at any moment: what was
    /// taken and not handed over has slots that nobody started.
    pub(super) async fn read(self) {
        let mut records = self.queue.stream();
        loop {
            self.window.room().await;
            let mut next = records.next().await;
            let mut taken = Vec::new();
            let mut failure = None;
            while let Some(record) = next {
                match record {
                    Ok(record) => {
                        taken.push(self.window.admit(record::received(&self.topic, &record)));
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
            if !taken.is_empty() && self.intake.push(taken).await.is_err() {
                return;
            }
            if let Some(error) = failure
                && let Err(reason) = self.survive(&error).await
            {
                self.window.hold(reason);
                let (partition, topic) = (self.partition, &*self.topic);
                tracing::error!(topic, partition, reason, "partition is read no further");
                return;
            }
        }
    }

    /// Goes on after an error, unless records would be passed over by that.
    async fn survive(&self, error: &KafkaError) -> Result<(), &'static str> {
        match code(error) {
            RDKafkaErrorCode::AutoOffsetReset
            | RDKafkaErrorCode::OffsetOutOfRange
            | RDKafkaErrorCode::LogTruncation => match self.on_offset_lost {
                OnOffsetLost::Hold => Err("offset-lost"),
                OnOffsetLost::Earliest => {
                    self.seek_to_beginning().await;
                    Ok(())
                }
            },
            // librdkafka has already gone on to the records behind the ones it cannot read.
            RDKafkaErrorCode::BadMessage | RDKafkaErrorCode::BadCompression => {
                Err("record-unreadable")
            }
            // Told to the context already, and librdkafka goes on by itself.
            _ => Ok(()),
        }
    }

    async fn seek_to_beginning(&self) {
        let (topic, partition) = (Arc::clone(&self.topic), self.partition);
        tracing::error!(
            topic = &*topic,
            partition,
            "offset is lost, oldest record is next"
        );
        loop {
            let (client, topic) = (Arc::clone(&self.client), Arc::clone(&topic));
            let seek = move || client.seek(&topic, partition, Offset::Beginning, ANSWER_TIMEOUT);
            match tokio::task::spawn_blocking(seek).await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => tracing::warn!(%error, partition, "seek failed"),
                Err(error) => tracing::warn!(%error, partition, "seek failed"),
            }
            sleep(AGAIN).await;
        }
    }
}
