//! An end on a topic of Kafka.

use std::time::Duration;

use anyhow::{Context, bail};
use cloudevents_nl_conformance::{Capture, Header, Protocol};
use jiff::Timestamp;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{self, Headers, Message, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tokio::task::JoinSet;

use super::{Inbox, Security};
use crate::intermediary::address::Address;
use crate::intermediary::story::{Came, Outcome};

const PATIENCE: Duration = Duration::from_secs(15);
/// How often it is looked whether anybody still listens.
const POLL: Duration = Duration::from_millis(100);

pub(crate) struct Producer {
    client: FutureProducer,
    topic: String,
}

impl Producer {
    pub(super) fn open(address: &Address, security: &Security) -> anyhow::Result<Self> {
        let mut config = config(address, security)?;
        config
            .set("enable.idempotence", "true")
            .set("message.timeout.ms", PATIENCE.as_millis().to_string())
            .set("linger.ms", "1");
        Ok(Self {
            client: config.create().context("the near end")?,
            topic: address.place.clone(),
        })
    }

    pub(super) async fn offer(&self, message: &Capture) -> Outcome {
        let mut headers = OwnedHeaders::new_with_capacity(message.headers.len());
        for Header { name, value } in &message.headers {
            headers = headers.insert(message::Header {
                key: name,
                value: value.as_deref(),
            });
        }
        let mut record = FutureRecord::<[u8], [u8]>::to(&self.topic).headers(headers);
        record.key = message.key.as_deref();
        record.payload = message.body.as_deref();
        match self.client.send(record, PATIENCE).await {
            Ok(_) => Outcome::Taken,
            Err((error, _)) => Outcome::Unknown(error.to_string()),
        }
    }
}

/// Opens the far end: what lies in the topic already is none of this run.
pub(super) async fn open(
    address: &Address,
    security: &Security,
    inbox: Inbox,
) -> anyhow::Result<JoinSet<()>> {
    let mut config = config(address, security)?;
    config
        .set("group.id", "cenl-conformance")
        .set("enable.auto.commit", "false")
        .set("auto.offset.reset", "error");
    let topic = address.place.clone();
    let consumer = tokio::task::spawn_blocking(move || {
        let consumer: BaseConsumer = config.create()?;
        at_the_end(&consumer, &topic)?;
        anyhow::Ok(consumer)
    });
    let consumer = consumer.await??;
    let mut reading = JoinSet::new();
    reading.spawn_blocking(move || read(&consumer, &inbox));
    Ok(reading)
}

fn at_the_end(consumer: &BaseConsumer, topic: &str) -> anyhow::Result<()> {
    let metadata = consumer.fetch_metadata(Some(topic), PATIENCE)?;
    let topics = metadata.topics().iter();
    let mut assigned = TopicPartitionList::new();
    for partition in topics.flat_map(|topic| topic.partitions()) {
        let partition = partition.id();
        let (_, high) = consumer.fetch_watermarks(topic, partition, PATIENCE)?;
        assigned.add_partition_offset(topic, partition, Offset::Offset(high))?;
    }
    if assigned.count() == 0 {
        bail!("there is no topic {topic}");
    }
    Ok(consumer.assign(&assigned)?)
}

fn read(consumer: &BaseConsumer, inbox: &Inbox) {
    while !inbox.is_closed() {
        // What goes wrong at a broker, the client tries again.
        if let Some(Ok(record)) = consumer.poll(POLL) {
            drop(inbox.send(Came::now(capture(&record))));
        }
    }
}

fn capture(record: &impl Message) -> Capture {
    let mut capture = Capture::new(Protocol::Kafka);
    let headers = record.headers().into_iter();
    let headers = headers.flat_map(|headers| headers.iter());
    capture.headers.extend(headers.map(|header| Header {
        name: header.key.to_owned(),
        value: header.value.map(<[u8]>::to_vec),
    }));
    let (topic, partition, offset) = (record.topic(), record.partition(), record.offset());
    capture.position = Some(format!("kafka:{topic}/{partition}/{offset}"));
    capture.key = record.key().map(<[u8]>::to_vec);
    capture.body = record.payload().map(<[u8]>::to_vec);
    let millis = record.timestamp().to_millis();
    let moment = millis.and_then(|at| Timestamp::from_millisecond(at).ok());
    capture.timestamp = moment.map(|moment| moment.to_string());
    capture
}

fn config(address: &Address, security: &Security) -> anyhow::Result<ClientConfig> {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", &address.hosts)
        .set("client.id", "cenl-conformance");
    if let Some(file) = &security.ca {
        config.set("ssl.ca.location", file.display().to_string());
    }
    if let Some(file) = &security.kafka_properties {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some((name, value)) = line.split_once('=') else {
                bail!("{}: a line is not name=value", file.display());
            };
            config.set(name.trim(), value.trim());
        }
    }
    Ok(config)
}
