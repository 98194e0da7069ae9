//! The broker of the demo: librdkafka's mock cluster on a thread of its own, or a real one.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::KafkaError;
use rdkafka::mocking::MockCluster;

/// What the mock keeps of a partition before it drops the oldest without a word.
pub(super) const MOCK_PARTITION_BYTES: usize = 5 << 20;

/// How long a broker may take to make the topics.
const PATIENCE: Duration = Duration::from_secs(10);

/// Partitions of each topic.
pub(super) const PARTITIONS: i32 = 4;

/// A broker that has the topics of the demo.
pub(super) struct Broker {
    pub(super) address: String,
    mock: Option<Mock>,
}

struct Mock {
    leave: mpsc::SyncSender<()>,
    thread: JoinHandle<()>,
}

impl Broker {
    /// Starts a mock that lives as long as this value: in memory, on a loopback port of its choice.
    pub(super) fn mock(topics: &[&str]) -> Result<Self, KafkaError> {
        let (leave, left) = mpsc::sync_channel::<()>(0);
        let (started, start) = mpsc::sync_channel(1);
        let topics: Vec<_> = topics.iter().map(|topic| (*topic).to_owned()).collect();
        // The cluster cannot move between threads, so it is made, used and dropped on one.
        let thread = thread::spawn(move || {
            let cluster = MockCluster::new(1).and_then(|cluster| {
                for topic in &topics {
                    cluster.create_topic(topic, PARTITIONS, 1)?;
                }
                Ok(cluster)
            });
            let (address, cluster) = match cluster {
                Ok(cluster) => (Ok(cluster.bootstrap_servers()), Some(cluster)),
                Err(error) => (Err(error), None),
            };
            if started.send(address).is_ok() {
                // Ends when the sender is dropped.
                left.recv().ok();
            }
            drop(cluster);
        });
        let address = start.recv().unwrap_or(Err(KafkaError::Canceled))?;
        let mock = Some(Mock { leave, thread });
        Ok(Self { address, mock })
    }

    /// Makes the topics on a broker that runs already.
    pub(super) async fn real(address: &str, topics: &[&str]) -> Result<Self, KafkaError> {
        let admin: AdminClient<DefaultClientContext> = ClientConfig::new()
            .set("bootstrap.servers", address)
            .set("client.id", "cenl-demo")
            .create()?;
        let new: Vec<_> = topics
            .iter()
            .map(|topic| NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(-1)))
            .collect();
        let options = AdminOptions::new()
            .request_timeout(Some(PATIENCE))
            .operation_timeout(Some(PATIENCE));
        for made in admin.create_topics(&new, &options).await? {
            made.map_err(|(_, code)| KafkaError::AdminOp(code))?;
        }
        Ok(Self {
            address: address.to_owned(),
            mock: None,
        })
    }

    /// Whether nothing is left of it afterwards.
    pub(super) fn is_mock(&self) -> bool {
        self.mock.is_some()
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Some(Mock { leave, thread }) = self.mock.take() {
            drop(leave);
            thread.join().ok();
        }
    }
}
