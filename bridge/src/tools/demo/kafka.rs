//! The Kafka side of the demo: the broker, the application that writes events, and the reader of dead
//! letters.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Header, Headers, Message, OwnedHeaders};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{DefaultProducerContext, FutureProducer, FutureRecord};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use serde_json::Value;
use tokio::time::{interval, sleep};

use super::check::{DeadLetter, Seen};
use super::events::Planned;

/// What the mock keeps of a partition before it drops the oldest without a word.
pub(super) const MOCK_PARTITION_BYTES: usize = 5 << 20;
/// How long a broker may take to make the topics, and a full queue to have room.
const PATIENCE: Duration = Duration::from_secs(10);
/// Partitions of each topic.
const PARTITIONS: i32 = 4;
/// How often an event is written.
const PACE: Duration = Duration::from_millis(6);

/// A broker that has the topics of the demo: librdkafka's mock, in memory, or a real one.
pub(super) struct Broker {
    pub(super) address: String,
    mock: Option<MockCluster<'static, DefaultProducerContext>>,
}

impl Broker {
    pub(super) async fn open(real: Option<&str>, topics: &[String]) -> Result<Self, KafkaError> {
        let Some(address) = real else {
            let mock = MockCluster::new(1)?;
            for topic in topics {
                mock.create_topic(topic, PARTITIONS, 1)?;
            }
            return Ok(Self {
                address: mock.bootstrap_servers(),
                mock: Some(mock),
            });
        };
        let broker = Self {
            address: address.to_owned(),
            mock: None,
        };
        let admin: AdminClient<DefaultClientContext> = broker.client(&[]).create()?;
        let new = |topic| NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(-1));
        let new: Vec<_> = topics.iter().map(|topic| new(topic)).collect();
        let options = AdminOptions::new()
            .request_timeout(Some(PATIENCE))
            .operation_timeout(Some(PATIENCE));
        for made in admin.create_topics(&new, &options).await? {
            made.map_err(|(_, code)| KafkaError::AdminOp(code))?;
        }
        Ok(broker)
    }

    /// Whether nothing is left of it afterwards.
    pub(super) fn is_mock(&self) -> bool {
        self.mock.is_some()
    }

    fn client(&self, properties: &[(&str, &str)]) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.address);
        config.set("client.id", "cenl-demo");
        for (name, value) in properties {
            config.set(*name, *value);
        }
        config
    }

    pub(super) fn producer(&self) -> Result<FutureProducer, KafkaError> {
        let properties = [
            ("enable.idempotence", "true"),
            ("partitioner", "murmur2_random"),
            ("linger.ms", "1"),
            ("reconnect.backoff.max.ms", "500"),
        ];
        self.client(&properties).create()
    }

    /// Reads a topic from its beginning. No group: every demo reads all of it.
    pub(super) fn consumer(&self, topic: &str) -> Result<StreamConsumer, KafkaError> {
        let properties = [
            ("group.id", "cenl-demo-dead-letters"),
            ("enable.auto.commit", "false"),
            ("fetch.wait.max.ms", "10"),
        ];
        let consumer: StreamConsumer = self.client(&properties).create()?;
        let mut partitions = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            partitions.add_partition_offset(topic, partition, Offset::Beginning)?;
        }
        consumer.assign(&partitions)?;
        Ok(consumer)
    }
}

/// Writes all events in order at an even pace, each one acknowledged by the broker.
pub(super) async fn publish(
    producer: FutureProducer,
    topic: &str,
    events: &[Planned],
    seen: &RefCell<Seen>,
) -> Result<(), KafkaError> {
    let mut pace = interval(PACE);
    for planned in events {
        pace.tick().await;
        let record = FutureRecord::to(topic)
            .key(&planned.key)
            .headers(headers(planned))
            .payload(&planned.body);
        let sent = producer.send(record, PATIENCE).await;
        sent.map_err(|(error, _)| error)?;
        seen.borrow_mut().written += 1;
    }
    Ok(())
}

fn headers(planned: &Planned) -> OwnedHeaders {
    let headers = planned.headers.iter();
    headers.fold(OwnedHeaders::new(), |headers, (key, value)| {
        headers.insert(Header {
            key,
            value: Some(value),
        })
    })
}

/// Reads the dead-letter topic back, as an operator's tool would, for as long as it is not dropped.
pub(super) async fn read_dead_letters(consumer: StreamConsumer, seen: Rc<RefCell<Seen>>) {
    loop {
        match consumer.recv().await {
            Ok(message) => seen.borrow_mut().add_dead_letter(read(&message)),
            // The client goes on by itself.
            Err(_) => sleep(PACE).await,
        }
    }
}

fn read(message: &BorrowedMessage<'_>) -> DeadLetter {
    let header = |name: &str| {
        let mut headers = message.headers()?.iter();
        let value = headers.find(|header| header.key == name)?.value?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    let body = serde_json::from_slice::<Value>(message.payload().unwrap_or_default());
    let id_in_body = || body.ok()?["id"].as_str().map(str::to_owned);
    let why = ["cenl-kind", "cenl-status", "cenl-attempts", "cenl-source"];
    let [kind, status, attempts, source] = why.map(|name| header(name).unwrap_or_default());
    DeadLetter {
        id: header("ce_id").or_else(id_in_body).unwrap_or_default(),
        why: format!("{kind}, status {status}, attempts {attempts}, from {source}"),
    }
}
