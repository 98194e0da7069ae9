//! The Kafka side of bare pipes: a consumer that commits only below what is not delivered, and a
//! producer.

use std::collections::{HashMap, VecDeque};

use rdkafka::config::ClientConfig;
use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::message::{BorrowedMessage, Message};
use rdkafka::producer::FutureProducer;
use rdkafka::{Offset, TopicPartitionList};

/// Where a record lies in its topic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    partition: i32,
    offset: i64,
}

impl Place {
    pub(super) fn of(message: &BorrowedMessage<'_>) -> Self {
        Self {
            partition: message.partition(),
            offset: message.offset(),
        }
    }
}

pub(super) fn consumer(brokers: &str, topic: &str, group: &str) -> StreamConsumer {
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", group)
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false")
        .set("enable.auto.offset.store", "false")
        .set("fetch.queue.backoff.ms", "5")
        // As many as the bridge fetches ahead: else all lies ready before the clock starts.
        .set("queued.min.messages", "1000")
        .create()
        .expect("a consumer");
    consumer.subscribe(&[topic]).expect("a topic name");
    consumer
}

/// `properties` are those that depend on whether somebody waits for each acknowledgement.
pub(super) fn producer(brokers: &str, properties: &[(&str, &str)]) -> FutureProducer {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", brokers)
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("partitioner", "murmur2_random");
    for (name, value) in properties {
        config.set(*name, *value);
    }
    config.create().expect("a producer")
}

/// What is taken and not delivered, for each partition.
#[derive(Debug, Default)]
pub(super) struct Windows(HashMap<i32, Window>);

impl Windows {
    pub(super) fn take(&mut self, place: Place) {
        let window = self.0.entry(place.partition).or_default();
        window.slots.push_back((place.offset, false));
    }

    pub(super) fn settle(&mut self, place: Place) {
        let window = self.0.entry(place.partition).or_default();
        let slots = &mut window.slots;
        let at = slots.partition_point(|(slot, _)| *slot < place.offset);
        slots[at].1 = true;
    }

    /// Commits what moved.
    pub(super) fn commit(&mut self, consumer: &StreamConsumer, topic: &str) {
        let mut list = TopicPartitionList::new();
        for (partition, window) in &mut self.0 {
            if let Some(offset) = window.moved() {
                list.add_partition_offset(topic, *partition, Offset::Offset(offset))
                    .expect("an offset");
            }
        }
        if list.count() > 0 {
            consumer
                .commit(&list, CommitMode::Async)
                .expect("the consumer lives");
        }
    }
}

/// The offsets of one partition that are taken, in order, and whether each is delivered.
#[derive(Debug, Default)]
struct Window {
    slots: VecDeque<(i64, bool)>,
}

impl Window {
    /// The offset to commit, if it moved.
    fn moved(&mut self) -> Option<i64> {
        let mut moved = None;
        while let Some((offset, true)) = self.slots.front() {
            moved = Some(offset + 1);
            self.slots.pop_front();
        }
        moved
    }
}
