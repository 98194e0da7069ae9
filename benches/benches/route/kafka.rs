//! The Kafka broker that `scripts/brokers` starts, and topics on it.

use std::path::Path;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::groups::GroupMemberInfo;
use rdkafka::message::{Header, Message, OwnedHeaders};
use rdkafka::metadata::{Metadata, MetadataTopic};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::{Offset, TopicPartitionList};
use tokio::time::Instant;

use crate::paced::Pace;
use crate::roll_call::RollCall;
use crate::traffic::{self, PARTITIONS, Traffic};

const PATIENCE: Duration = Duration::from_secs(30);

/// Where the broker is.
pub(crate) struct Kafka {
    pub(crate) brokers: String,
    watcher: BaseConsumer,
}

/// The running broker, or the end of this process with a remedy.
pub(crate) fn kafka() -> Kafka {
    let brokers = format!("127.0.0.1:{}", port("KAFKA_PORT", 0));
    let watcher: BaseConsumer = config(&brokers).create().expect("a client needs no broker");
    if watcher
        .fetch_metadata(None, Duration::from_secs(5))
        .is_err()
    {
        eprintln!("route: no Kafka broker answers on {brokers}; run `scripts/brokers up` first");
        std::process::exit(1);
    }
    Kafka { brokers, watcher }
}

/// A port of the running set: what `scripts/brokers.env` says, or that many above the base of a
/// private set.
pub(crate) fn port(name: &str, above_base: u16) -> u16 {
    if let Ok(base) = std::env::var("CENL_BROKERS_PORT_BASE") {
        return base.parse::<u16>().expect("a port") + above_base;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/brokers.env");
    let settings =
        std::fs::read_to_string(path).expect("scripts/brokers.env is part of the project");
    let mut lines = settings.lines().filter_map(|line| line.split_once('='));
    let port = lines.find_map(|(key, value)| (key == name).then_some(value));
    let port = port.expect("scripts/brokers.env names the port");
    port.parse().expect("a port")
}

fn config(brokers: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers);
    config
}

fn has_leaders(known: &Metadata) -> bool {
    let partitions = known.topics().iter().flat_map(MetadataTopic::partitions);
    let led = partitions.filter(|partition| partition.leader() >= 0);
    led.count() == PARTITIONS
}

impl Kafka {
    /// Creates an empty topic whose name begins with `prefix`.
    pub(crate) fn create_topic(&self, prefix: &str) -> String {
        let name = format!("{prefix}-{:012x}", fastrand::u64(..1 << 48));
        let admin: AdminClient<DefaultClientContext> =
            config(&self.brokers).create().expect("an admin client");
        let partitions = i32::try_from(PARTITIONS).expect("a few partitions");
        let topic = NewTopic::new(&name, partitions, TopicReplication::Fixed(1));
        let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
        let created = admin.create_topics([&topic], &options);
        let results = runtime().block_on(created).expect("the broker answers");
        results[0].as_ref().expect("a new name");
        self.wait_for_leaders(&name);
        name
    }

    /// A broker that is busy learns only after it has said yes that it leads a new topic.
    fn wait_for_leaders(&self, topic: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // What the client knows is not asked again for a while; metadata always is.
            let known = self.watcher.fetch_metadata(Some(topic), PATIENCE);
            let led = known.map(|known| has_leaders(&known));
            let ends = self.ends(topic);
            if let (Ok(true), Ok(_)) = (&led, &ends) {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "nobody leads {topic}: {led:?}, {ends:?}"
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Deletes a topic, to give its disk space back.
    pub(crate) fn delete_topic(&self, name: &str) {
        let admin: AdminClient<DefaultClientContext> =
            config(&self.brokers).create().expect("an admin client");
        let deleted = admin.delete_topics(&[name], &AdminOptions::new());
        runtime().block_on(deleted).expect("the broker answers");
    }

    /// Writes the events of these numbers in binary mode.
    pub(crate) fn write(
        &self,
        topic: &str,
        traffic: &Traffic,
        numbers: impl Iterator<Item = usize>,
        pace: Option<Pace>,
    ) -> Vec<Instant> {
        let producer: BaseProducer = config(&self.brokers)
            .set("enable.idempotence", "true")
            .set("linger.ms", if pace.is_some() { "0" } else { "20" })
            .create()
            .expect("a producer");
        let mut written = Vec::with_capacity(numbers.size_hint().0);
        for number in numbers {
            if let Some(pace) = pace {
                let due = pace.due(written.len());
                std::thread::sleep(due.duration_since(Instant::now()));
            }
            let (headers, body) = traffic.binary(number);
            let list = OwnedHeaders::new_with_capacity(headers.len());
            let insert = |list: OwnedHeaders, (key, value): &(&str, String)| {
                list.insert(Header {
                    key,
                    value: Some(value),
                })
            };
            let key = traffic.key(number);
            let record = BaseRecord::to(topic)
                .key(&key)
                .payload(body)
                .partition(traffic.partition(number))
                .headers(headers.iter().fold(list, insert));
            written.push(Instant::now());
            send(&producer, record);
        }
        producer
            .flush(PATIENCE)
            .expect("the broker takes the events");
        written
    }

    /// How many partitions each member of a group of one topic has; nothing while that changes.
    pub(crate) fn shares(&self, group: &str, topic: &str) -> Option<Vec<usize>> {
        let groups = self.watcher.fetch_group_list(Some(group), PATIENCE).ok()?;
        let group = groups.groups().first()?;
        // Behind a version, the number of topics (one, or none) and the name of the topic.
        let at = 2 + 4 + 2 + topic.len();
        let share = |member: &GroupMemberInfo| {
            let count = member.assignment().and_then(|bytes| bytes.get(at..at + 4));
            count.map_or(0, |bytes| {
                bytes
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
            })
        };
        let shares = group.members().iter().map(share).collect();
        (group.state() == "Stable").then_some(shares)
    }

    /// Records in a topic that nobody deletes from.
    pub(crate) fn len(&self, topic: &str) -> usize {
        let ends = self.ends(topic).expect("the broker answers");
        usize::try_from(ends).expect("it fits")
    }

    /// The offsets at which its partitions end, added up.
    fn ends(&self, topic: &str) -> KafkaResult<i64> {
        let partitions = 0..i32::try_from(PARTITIONS).expect("a few partitions");
        let end = |partition| self.watcher.fetch_watermarks(topic, partition, PATIENCE);
        partitions
            .map(|partition| end(partition).map(|(_, end)| end))
            .sum()
    }

    /// Reads a topic from its start until nobody is missing.
    pub(crate) fn read(&self, topic: &str, mut roll_call: RollCall) -> RollCall {
        let consumer: BaseConsumer = config(&self.brokers)
            .set("group.id", "unused")
            .set("enable.partition.eof", "false")
            // A commit would end a poll early.
            .set("enable.auto.commit", "false")
            .create()
            .expect("a consumer");
        let mut list = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            let partition = i32::try_from(partition).expect("a few partitions");
            list.add_partition_offset(topic, partition, Offset::Beginning)
                .expect("an offset");
        }
        consumer.assign(&list).expect("a topic of ours");
        while !roll_call.is_complete() {
            let message = consumer.poll(Duration::from_secs(10));
            let Some(message) = message else { break };
            let message = message.expect("the broker answers");
            roll_call.note(number(&message).expect("an event of this benchmark"));
        }
        roll_call
    }
}

/// Waits for room in the queue; the broker takes events faster than they are made.
fn send(producer: &BaseProducer, mut record: BaseRecord<'_, String, str>) {
    while let Err((_, unsent)) = producer.send(record) {
        producer.poll(Duration::from_millis(10));
        record = unsent;
    }
}

fn number(message: &impl Message) -> Option<usize> {
    use rdkafka::message::Headers;
    let headers = message.headers();
    let id = headers.and_then(|headers| headers.iter().find(|header| header.key == "ce_id"));
    traffic::number(
        id.and_then(|header| header.value)
            .or_else(|| message.payload())?,
    )
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}
