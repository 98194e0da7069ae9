//! Reads the dead-letter topic back, as an operator's tool would.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use serde::Deserialize;

use super::broker::PARTITIONS;
use super::record::{DeadLetter, Record};

/// Reads until it is told to leave.
pub(super) struct DeadLetters {
    leave: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl DeadLetters {
    /// Starts to read the topic from its beginning. No group: every demo reads all of it.
    pub(super) fn read(
        brokers: &str,
        topic: &str,
        record: Arc<Record>,
    ) -> Result<Self, KafkaError> {
        let consumer: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", brokers)
            .set("client.id", "cenl-demo")
            .set("group.id", "cenl-demo-dead-letters")
            .set("enable.auto.commit", "false")
            .set("fetch.wait.max.ms", "10")
            .create()?;
        let mut partitions = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            partitions.add_partition_offset(topic, partition, Offset::Beginning)?;
        }
        consumer.assign(&partitions)?;
        let leave = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&leave);
        let thread = thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                if let Some(Ok(message)) = consumer.poll(Duration::from_millis(50)) {
                    record.lock().add_dead_letter(read(&message));
                }
            }
        });
        Ok(Self { leave, thread })
    }

    /// Stops reading.
    pub(super) fn leave(self) {
        self.leave.store(true, Ordering::Relaxed);
        self.thread.join().ok();
    }
}

fn read(message: &BorrowedMessage<'_>) -> DeadLetter {
    #[derive(Deserialize)]
    struct Event {
        id: String,
    }
    let mut dead_letter = DeadLetter::default();
    for header in message.headers().iter().flat_map(|headers| headers.iter()) {
        let value = String::from_utf8_lossy(header.value.unwrap_or_default()).into_owned();
        match header.key {
            "ce_id" => dead_letter.id = value,
            "cenl-kind" => dead_letter.kind = value,
            "cenl-status" => dead_letter.status = value,
            "cenl-attempts" => dead_letter.attempts = value,
            "cenl-source" => dead_letter.source = value,
            _ => {}
        }
    }
    if dead_letter.id.is_empty() {
        let event = serde_json::from_slice::<Event>(message.payload().unwrap_or_default());
        dead_letter.id = event.map(|event| event.id).unwrap_or_default();
    }
    dead_letter
}
