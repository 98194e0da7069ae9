//! Topics, and records written and read with a plain client.

mod writer;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::Instant;

use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, NewPartitions, NewTopic, ResourceSpecifier,
    TopicReplication,
};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::groups::GroupList;
use rdkafka::message::{Headers, Message};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use super::brokers::Broker;
use super::wait::{SOON, eventually, until};

/// Partitions of every topic.
pub(crate) const PARTITIONS: i32 = 4;

/// A broker that has just started makes its topic of offsets first, for longer than anything else takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A topic of this test alone.
#[derive(Clone, Debug)]
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) brokers: String,
}

/// A Kafka record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) headers: Vec<(String, Option<Vec<u8>>)>,
    pub(crate) timestamp_ms: Option<i64>,
    /// Partition and offset, of a record that was read.
    pub(crate) place: (i32, i64),
}

impl Record {
    pub(crate) fn new(key: Option<&str>, value: Option<&[u8]>) -> Self {
        Self {
            key: key.map(|key| key.as_bytes().to_vec()),
            value: value.map(<[u8]>::to_vec),
            ..Self::default()
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers
            .push((name.to_owned(), Some(value.as_bytes().to_vec())));
        self
    }

    /// The text of the only header of that name.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let mut values = self.headers.iter().filter(|(other, _)| other == name);
        let (_, value) = values.next()?;
        assert_eq!(values.next(), None, "{name} is there twice");
        Some(String::from_utf8(value.clone()?).unwrap())
    }
}

impl Topic {
    /// Creates a topic whose name holds `word`.
    pub(crate) async fn create(broker: &Broker, word: &str) -> Self {
        Self::create_at(broker.plaintext(), word).await
    }

    /// Creates a topic whose name holds `word`, at these brokers.
    pub(crate) async fn create_at(brokers: String, word: &str) -> Self {
        Self::create_wide(brokers, word, PARTITIONS).await
    }

    /// Creates a topic with so many partitions.
    pub(crate) async fn create_wide(brokers: String, word: &str, partitions: i32) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let moment = jiff::Timestamp::now().as_second() % 1_000_000;
        let process = std::process::id();
        let topic = Self {
            name: format!("live-{process}-{moment}-{number}-{word}"),
            brokers,
        };
        let admin: AdminClient<DefaultClientContext> = topic.client().create().unwrap();
        let wanted = NewTopic::new(&topic.name, partitions, TopicReplication::Fixed(1));
        let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
        let made = admin.create_topics([&wanted], &options).await.unwrap();
        made.into_iter().next().unwrap().unwrap();
        // The controller knows it by now; a broker that has just started learns of it a moment later, and that it
        // leads the partitions later still.
        until("the broker leads the topic", SOON, || {
            let client = admin.inner();
            let known = client.fetch_metadata(Some(&topic.name), PATIENCE);
            let is_known = known.is_ok_and(|known| {
                let found = known.topics().first();
                found.is_some_and(|found| found.partitions().len() == partitions as usize)
            });
            let leads = |id| client.fetch_watermarks(&topic.name, id, PATIENCE).is_ok();
            is_known && (0..partitions).all(leads)
        })
        .await;
        topic
    }

    /// Adds partitions, up to so many.
    pub(crate) async fn grow(&self, partitions: usize) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let wanted = NewPartitions::new(&self.name, partitions);
        let made = admin.create_partitions([&wanted], &AdminOptions::new());
        made.await.unwrap().remove(0).unwrap();
    }

    /// Sets the largest record that the broker takes, in bytes.
    pub(crate) async fn limit_records(&self, bytes: usize) {
        self.configure("max.message.bytes", &bytes.to_string())
            .await;
    }

    /// Sets one of the topic's own settings.
    pub(crate) async fn configure(&self, name: &str, value: &str) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let topic = ResourceSpecifier::Topic(&self.name);
        let wanted = AlterConfig::new(topic).set(name, value);
        let done = admin.alter_configs([&wanted], &AdminOptions::new()).await;
        done.unwrap().remove(0).unwrap();
        eventually("the broker has the setting", SOON, async || {
            let told = admin.describe_configs([&topic], &AdminOptions::new());
            let told = told.await.ok()?.remove(0).ok()?;
            (told.get(name)?.value.as_deref() == Some(value)).then_some(())
        })
        .await;
    }

    /// Deletes the topic.
    pub(crate) async fn delete(&self) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let done = admin.delete_topics(&[&*self.name], &AdminOptions::new());
        done.await.unwrap().remove(0).unwrap();
    }

    /// Deletes every record, as retention does; from how many partitions.
    pub(crate) async fn delete_records(&self) -> u32 {
        let ends = self.blocking(|topic| {
            let marks = topic.marks(&topic.consumer("live-reader"));
            let mut ends = TopicPartitionList::new();
            for (partition, _, high) in marks.into_iter().filter(|(_, low, high)| low < high) {
                let end = Offset::Offset(high);
                ends.add_partition_offset(&topic.name, partition, end)
                    .unwrap();
            }
            ends
        });
        let ends = ends.await;
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let done = admin
            .delete_records(&ends, &AdminOptions::new())
            .await
            .unwrap();
        done.elements()
            .iter()
            .for_each(|done| done.error().unwrap());
        u32::try_from(ends.count()).unwrap()
    }

    /// Every record there is, partition after partition.
    pub(crate) async fn read(&self) -> Vec<Record> {
        let topic = self.clone();
        tokio::task::spawn_blocking(move || topic.read_now())
            .await
            .unwrap()
    }

    fn read_now(&self) -> Vec<Record> {
        let consumer = self.consumer("live-reader");
        let marks = self.marks(&consumer);
        let mut places = TopicPartitionList::new();
        let mut missing = 0;
        for (partition, low, high) in marks.iter().copied().filter(|(_, low, high)| low < high) {
            let start = Offset::Offset(low);
            places
                .add_partition_offset(&self.name, partition, start)
                .unwrap();
            missing += high - low;
        }
        consumer.assign(&places).unwrap();
        let (mut records, since) = (Vec::new(), Instant::now());
        while missing > 0 {
            match consumer.poll(PATIENCE).expect("the record is there") {
                Ok(message) => {
                    records.push(read_record(&message));
                    missing -= 1;
                }
                // librdkafka goes on by itself.
                Err(error) => assert!(since.elapsed() < PATIENCE, "{error}"),
            }
        }
        records.sort_by_key(|record| record.place);
        records
    }

    /// Records between the first and the end of the log, all partitions together.
    pub(crate) async fn len(&self) -> usize {
        let marks = self.blocking(|topic| topic.marks(&topic.consumer("live-reader")));
        let counts = marks.await.into_iter().map(|(_, low, high)| high - low);
        usize::try_from(counts.sum::<i64>()).unwrap()
    }

    /// Records that `group` has not committed yet. Nothing committed counts as all.
    pub(crate) async fn lag(&self, group: &str) -> usize {
        let group = group.to_owned();
        let lag = self.blocking(move |topic| {
            let consumer = topic.consumer(&group);
            let mut asked = TopicPartitionList::new();
            asked.add_partition_range(&topic.name, 0, PARTITIONS - 1);
            let committed = committed(&consumer, &asked);
            let lag = topic
                .marks(&consumer)
                .into_iter()
                .map(|(partition, low, high)| {
                    let place = committed.find_partition(&topic.name, partition).unwrap();
                    match place.offset() {
                        Offset::Offset(offset) => high - offset,
                        _ => high - low,
                    }
                });
            lag.sum::<i64>()
        });
        usize::try_from(lag.await).unwrap()
    }

    /// Waits until the broker says who coordinates groups: one that has just started makes a topic for that first,
    /// for longer than commands wait that ask once.
    pub(crate) async fn knows_groups(&self) {
        self.lag("nobody").await;
    }

    /// What the brokers say of the topic now, for people: who leads each partition, and its marks.
    pub(crate) async fn described(&self) -> String {
        let told = self.blocking(|topic| {
            let consumer = topic.consumer("live-reader");
            let metadata = match consumer.fetch_metadata(Some(&topic.name), PATIENCE) {
                Ok(metadata) => metadata,
                Err(error) => return format!("{}: {error}\n", topic.name),
            };
            let partitions = metadata.topics().iter().flat_map(|told| told.partitions());
            let described = partitions.map(|partition| {
                let (id, leader) = (partition.id(), partition.leader());
                let marks = consumer.fetch_watermarks(&topic.name, id, PATIENCE);
                format!("{}/{id}: leader {leader}, {marks:?}\n", topic.name)
            });
            described.collect()
        });
        told.await
    }

    /// The names of all groups that the broker knows.
    pub(crate) async fn groups(&self) -> Vec<String> {
        let groups = self.blocking(|topic| {
            let consumer = topic.consumer("live-reader");
            let groups = group_list(&consumer, None);
            let names = groups.groups().iter().map(|group| group.name().to_owned());
            names.collect()
        });
        groups.await
    }

    /// Ids of the members of the group that has the topic's name.
    pub(crate) async fn members(&self) -> Vec<String> {
        let members = self.blocking(|topic| {
            let consumer = topic.consumer("live-reader");
            let groups = group_list(&consumer, Some(&topic.name));
            let members = groups.groups().iter().flat_map(|group| group.members());
            members.map(|member| member.id().to_owned()).collect()
        });
        members.await
    }

    fn marks(&self, consumer: &BaseConsumer) -> Vec<(i32, i64, i64)> {
        let since = Instant::now();
        let marks = (0..PARTITIONS).map(|partition| {
            loop {
                match consumer.fetch_watermarks(&self.name, partition, PATIENCE) {
                    Ok((low, high)) => return (partition, low, high),
                    // The partitions of a new topic have no leader for a moment.
                    Err(error) => assert!(since.elapsed() < PATIENCE, "{error}"),
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        marks.collect()
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> T {
        let topic = self.clone();
        tokio::task::spawn_blocking(move || work(&topic))
            .await
            .unwrap()
    }

    fn consumer(&self, group: &str) -> BaseConsumer {
        self.client()
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .create()
            .unwrap()
    }

    /// What every client of the topic begins with.
    pub(crate) fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", &self.brokers);
        client
    }
}

/// All of a record.
pub(crate) fn read_record(message: &impl Message) -> Record {
    let headers = message.headers().map(|headers| {
        let pairs = headers.iter();
        pairs
            .map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec)))
            .collect()
    });
    Record {
        key: message.key().map(<[u8]>::to_vec),
        value: message.payload().map(<[u8]>::to_vec),
        headers: headers.unwrap_or_default(),
        timestamp_ms: message.timestamp().to_millis(),
        place: (message.partition(), message.offset()),
    }
}

/// What the group has committed; a broker that has just started may not know its coordinator yet.
fn committed(consumer: &BaseConsumer, asked: &TopicPartitionList) -> TopicPartitionList {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match consumer.committed_offsets(asked.clone(), PATIENCE) {
            Ok(committed) => return committed,
            Err(error) => assert!(Instant::now() < deadline, "no committed offsets: {error}"),
        }
    }
}

/// What the broker knows of one group, or of all; one that has just started may still be loading them.
fn group_list(consumer: &BaseConsumer, group: Option<&str>) -> GroupList {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match consumer.fetch_group_list(group, PATIENCE) {
            Ok(groups) => return groups,
            Err(error) => assert!(Instant::now() < deadline, "no list of groups: {error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
