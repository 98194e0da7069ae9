//! Asks brokers whether a topic can be read or written. No group is joined and no record is written.

use std::time::Duration;

use rdkafka::consumer::Consumer;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode as Code};
use rdkafka::metadata::Metadata;
use rdkafka::producer::{FutureProducer, FutureRecord};
use tracing::Span;

use super::client::{ClientEvents, code, error_text};
use super::connection::KafkaCluster;
use super::offsets::{Questions, ask};
use super::settings::{SinkSettings, SourceSettings};
use super::view::{self, VIEW_GROUP};
use crate::config::Fault;
use crate::shared::lock;
use crate::transport::contract::CheckAnswers;

const TIMEOUT: Duration = Duration::from_secs(8);
/// A fresh cluster first makes the topic that groups commit to. With the others within the time of a check.
const GROUP_TIMEOUT: Duration = Duration::from_secs(12);

pub(super) async fn source(cluster: &KafkaCluster, settings: &SourceSettings) -> CheckAnswers {
    let mut answers = asked(cluster, &settings.topic).await;
    if answers.iter().all(|(_, answer)| answer.is_ok()) {
        let right = view::may_read(cluster, &settings.topic, TIMEOUT).await;
        let right = right.map(|()| "is given".to_owned());
        let group = committed(cluster, settings).await;
        for (what, answer) in [("right to read", right), ("group", group)] {
            answers.push((what, answer.map_err(|error| fault(&error))));
        }
    }
    answers
}

pub(super) async fn sink(cluster: &KafkaCluster, settings: &SinkSettings) -> CheckAnswers {
    let mut answers = asked(cluster, &settings.topic).await;
    if answers.iter().all(|(_, answer)| answer.is_ok()) {
        answers.push(("right to write", may_write(cluster, &settings.topic).await));
    }
    answers
}

/// Whether brokers answer, and the topic is there.
async fn asked(cluster: &KafkaCluster, topic: &str) -> CheckAnswers {
    if let Err(error) = cluster.ready().await {
        let remedy = "see that the authorization server runs and knows us";
        let fault = Fault::new(error.to_string(), remedy);
        return vec![("credentials", Err(fault))];
    }
    let client = match view::client(cluster, VIEW_GROUP) {
        Ok(client) => client,
        Err(error) => return vec![("brokers", Err(fault(&error)))],
    };
    let name = topic.to_owned();
    let found = ask(&client, move |client| {
        let metadata = client.fetch_metadata(Some(name.as_str()), TIMEOUT)?;
        Ok(partitions(&metadata, &name))
    });
    match found.await {
        Ok(found) => vec![("brokers", Ok("answer".to_owned())), ("topic", found)],
        Err(error) => {
            let last = lock(&client.context().last_error).take();
            let remedy =
                "correct `brokers` and the properties of the connection, or start a broker";
            let fault = Fault::new(last.unwrap_or_else(|| error_text(&error)), remedy);
            vec![("brokers", Err(fault))]
        }
    }
}

fn partitions(metadata: &Metadata, topic: &str) -> Result<String, Fault> {
    let found = metadata.topics().iter().find(|found| found.name() == topic);
    let missing = KafkaError::MetadataFetch(Code::UnknownTopicOrPartition);
    let found = found.ok_or_else(|| fault(&missing))?;
    match found.error() {
        Some(error) => Err(fault(&KafkaError::MetadataFetch(error.into()))),
        None => Ok(format!("{} partitions", found.partitions().len())),
    }
}

/// What it has committed may be asked by whoever may describe it; joining would disturb its members.
async fn committed(cluster: &KafkaCluster, settings: &SourceSettings) -> KafkaResult<String> {
    let client = view::client(cluster, &settings.group)?;
    let topic = settings.topic.clone();
    let committed = ask(&client, move |client| {
        Questions::new(client, &topic, GROUP_TIMEOUT).committed([0])
    });
    let found = match committed.await?.is_empty() {
        true => "has committed nothing in partition 0: it begins at `start`",
        false => "has committed",
    };
    Ok(found.to_owned())
}

/// Nothing is written: a broker looks who writes, then refuses a record that asks for two acknowledgements.
async fn may_write(cluster: &KafkaCluster, topic: &str) -> Result<String, Fault> {
    let timeout = TIMEOUT.as_millis().to_string();
    let owned = [
        ("acks", "2"),
        ("enable.idempotence", "false"),
        ("retries", "0"),
        ("message.timeout.ms", timeout.as_str()),
        ("allow.auto.create.topics", "false"),
    ];
    let mut config = cluster.client_config(&[], &owned);
    config.remove("request.required.acks");
    let events = ClientEvents::new(Span::current(), cluster.token.clone());
    let producer = config.create_with_context(events);
    let producer: FutureProducer<ClientEvents> = producer.map_err(|error| fault(&error))?;
    let record = FutureRecord::<(), [u8]>::to(topic).payload(&[]);
    match producer.send(record, TIMEOUT).await {
        Err((error, _)) if code(&error) == Code::InvalidRequiredAcks => Ok("is given".to_owned()),
        Err((error, _)) => Err(fault(&error)),
        Ok(_) => Err(Fault::new(
            "the broker took an empty record",
            "use a broker that checks `acks`",
        )),
    }
}

fn fault(error: &KafkaError) -> Fault {
    let remedy = match code(error) {
        Code::UnknownTopic | Code::UnknownTopicOrPartition | Code::UnknownPartition => {
            "make the topic, or correct `topic`"
        }
        Code::TopicAuthorizationFailed => {
            "let the user read (source) or write (sink, dead letters) the topic"
        }
        Code::GroupAuthorizationFailed => "let the user read the group",
        Code::OperationTimedOut | Code::MessageTimedOut => {
            let remedy = "look whether all brokers can be reached from here";
            return Fault::new("no answer in time", remedy);
        }
        _ => "look at the broker, and at the properties of the connection",
    };
    Fault::new(error_text(error), remedy)
}
