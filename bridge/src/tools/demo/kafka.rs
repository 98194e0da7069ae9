//! The Kafka side of the demo.

use std::cell::RefCell;
use std::convert::Infallible;
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

use super::check::{Arrival, Observed};
use super::events::Planned;
use super::print;

/// The mock drops the oldest beyond it, silently.
pub(super) const MOCK_PARTITION_BYTES: usize = 5 << 20;
const TIMEOUT: Duration = Duration::from_secs(10);
const PARTITIONS: i32 = 4;
const EVENT_INTERVAL: Duration = Duration::from_millis(6);

/// librdkafka's mock, in memory, or a real broker.
pub(super) struct DemoBroker {
    pub(super) address: String,
    pub(super) mock: Option<MockCluster<'static, DefaultProducerContext>>,
}

impl DemoBroker {
    pub(super) async fn open(real: Option<&str>, topics: &[String]) -> Result<Self, KafkaError> {
        let Some(address) = real else {
            let mock = MockCluster::new(1)?;
            for topic in topics {
                mock.create_topic(topic, PARTITIONS, 1)?;
            }
            let (address, mock) = (mock.bootstrap_servers(), Some(mock));
            return Ok(Self { address, mock });
        };
        let (address, mock) = (address.to_owned(), None);
        let broker = Self { address, mock };
        let admin: AdminClient<DefaultClientContext> = broker.client(&[]).create()?;
        let new = |topic| NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(-1));
        let new: Vec<_> = topics.iter().map(|topic| new(topic)).collect();
        let options = AdminOptions::new().operation_timeout(Some(TIMEOUT));
        let options = options.request_timeout(Some(TIMEOUT));
        for made in admin.create_topics(&new, &options).await? {
            made.map_err(|(_, code)| KafkaError::AdminOp(code))?;
        }
        Ok(broker)
    }

    fn client(&self, properties: &[(&str, &str)]) -> ClientConfig {
        let always = [
            ("bootstrap.servers", &*self.address),
            ("client.id", "cenl-demo"),
        ];
        let all = always.iter().chain(properties);
        all.map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }

    pub(super) async fn publish(
        &self,
        topic: &str,
        events: &[Planned],
        observed: &RefCell<Observed>,
    ) -> Result<(), KafkaError> {
        let properties = [
            ("enable.idempotence", "true"),
            ("partitioner", "murmur2_random"),
            ("linger.ms", "1"),
            ("reconnect.backoff.max.ms", "500"),
        ];
        let producer: FutureProducer = self.client(&properties).create()?;
        let mut tick = interval(EVENT_INTERVAL);
        for planned in events {
            tick.tick().await;
            let headers = planned.headers.iter().map(|(key, value)| Header {
                key,
                value: Some(value),
            });
            let record = FutureRecord::to(topic)
                .key(&planned.key)
                .headers(headers.fold(OwnedHeaders::new(), OwnedHeaders::insert))
                .payload(&planned.body);
            let sent = producer.send(record, TIMEOUT).await;
            sent.map_err(|(error, _)| error)?;
            observed.borrow_mut().written += 1;
        }
        Ok(())
    }

    /// From the beginning, without a group.
    pub(super) async fn read_dead_letters(
        &self,
        topic: &str,
        observed: &RefCell<Observed>,
    ) -> anyhow::Result<Infallible> {
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
        loop {
            match consumer.recv().await {
                Ok(message) => {
                    let letter = read(&message);
                    print(format_args!(
                        "        dead letter: {}  {}",
                        letter.id, letter.text
                    ))?;
                    observed.borrow_mut().dead_letters.push(letter);
                }
                // The client goes on by itself.
                Err(_) => sleep(EVENT_INTERVAL).await,
            }
        }
    }
}

fn read(message: &BorrowedMessage<'_>) -> Arrival {
    let header = |name: &str| {
        let mut headers = message.headers()?.iter();
        let value = headers.find(|header| header.key == name)?.value?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    let body = serde_json::from_slice::<Value>(message.payload().unwrap_or_default());
    let id_in_body = || body.ok()?["id"].as_str().map(str::to_owned);
    let why = ["cenl-kind", "cenl-status", "cenl-attempts", "cenl-source"];
    let [kind, status, attempts, source] = why.map(|name| header(name).unwrap_or_default());
    Arrival {
        id: header("ce_id").or_else(id_in_body).unwrap_or_default(),
        text: format!("{kind}, status {status}, attempts {attempts}, from {source}"),
    }
}
