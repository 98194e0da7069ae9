//! Source and sink against librdkafka's own mock broker, which can be told to fail.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod sink_mock;
mod source_mock;
mod watchdog_mock;

use std::future::Future;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{DefaultProducerContext, FutureProducer, FutureRecord};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

use super::connection::KafkaCluster;

const TOPIC: &str = "zaken";
const PATIENCE: Duration = Duration::from_secs(30);

/// The mock's fast group protocol, and no waiting for company.
const ALWAYS: [(&str, &str); 2] = [("group.protocol", "consumer"), ("fetch.wait.max.ms", "10")];

struct Broker {
    mock: MockCluster<'static, DefaultProducerContext>,
}

impl Broker {
    fn new(partitions: i32) -> Self {
        let mock = MockCluster::new(1).unwrap();
        mock.create_topic(TOPIC, partitions, 1).unwrap();
        Self { mock }
    }

    /// A cluster with what holds always and `properties` besides.
    fn cluster(&self, properties: &[(&str, &str)]) -> KafkaCluster {
        let properties = [&ALWAYS, properties].concat();
        KafkaCluster::new(&self.mock.bootstrap_servers(), &properties)
    }

    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", self.mock.bootstrap_servers());
        config
    }

    async fn produce(&self, partition: i32, bodies: impl IntoIterator<Item = String>) {
        let producer: FutureProducer = self.client().create().unwrap();
        for body in bodies {
            let record = FutureRecord::<str, str>::to(TOPIC)
                .partition(partition)
                .payload(&body);
            producer
                .send_result(record)
                .unwrap()
                .await
                .unwrap()
                .unwrap();
        }
    }

    /// What `group` has committed for a partition.
    async fn committed(&self, group: &str, partition: i32) -> Offset {
        let consumer: BaseConsumer = self.client().set("group.id", group).create().unwrap();
        let mut list = TopicPartitionList::new();
        list.add_partition(TOPIC, partition);
        let ask = move || {
            let list = consumer.committed_offsets(list, PATIENCE).unwrap();
            list.find_partition(TOPIC, partition).unwrap().offset()
        };
        tokio::task::spawn_blocking(ask).await.unwrap()
    }
}

/// Runs a test as a route runs: one thread, local tasks, an end.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let test = async {
        timeout(2 * PATIENCE, test)
            .await
            .expect("the test ends in time")
    };
    let answer = LocalSet::new().block_on(&runtime, test);
    // A client of KIP-848 that is closed while its group forms anew may wait for itself for ever.
    runtime.shutdown_background();
    answer
}

/// Waits until `condition` holds, and fails when it does not in time.
async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let holds = async {
        while !condition().await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(
        timeout(PATIENCE, holds).await.is_ok(),
        "waited in vain: {what}"
    );
}
