//! Asks brokers whether a topic can be read or written. No group is joined and no record is written.

use std::error::Error;
use std::sync::Mutex;
use std::time::Duration;

use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::metadata::Metadata;
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::{ClientContext, Offset, TopicPartitionList};
use tokio::task::spawn_blocking;

use super::client::{code, error_text};
use super::connection::KafkaCluster;
use super::settings::{SinkSettings, SourceSettings};
use super::token;
use super::view::VIEW_GROUP;
use crate::config::Fault;
use crate::credentials::{BearerToken, NoToken};
use crate::transport::contract::CheckAnswers;

const TIMEOUT: Duration = Duration::from_secs(8);
/// A fresh cluster first makes the topic that groups commit to. With the others within the time of a check.
const GROUP_TIMEOUT: Duration = Duration::from_secs(12);
const POLLS: usize = 64;

/// Keeps why the client last failed, which its errors do not tell.
struct LastFailure {
    reason: Mutex<Option<String>>,
    token: Option<BearerToken>,
}

impl LastFailure {
    fn new(cluster: &KafkaCluster) -> Self {
        Self {
            reason: Mutex::default(),
            token: cluster.token.clone(),
        }
    }
}

impl ClientContext for LastFailure {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        token::answer(self.token.as_ref())
    }

    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        if code(&error) != Code::AllBrokersDown
            && let Ok(mut last) = self.reason.lock()
        {
            *last = Some(reason.to_owned());
        }
    }
}

impl ConsumerContext for LastFailure {}

type Asking = BaseConsumer<LastFailure>;

pub(super) async fn source(cluster: &KafkaCluster, settings: &SourceSettings) -> CheckAnswers {
    if let Err(error) = cluster.ready().await {
        return no_token(&error);
    }
    let (cluster, settings) = (cluster.clone(), settings.clone());
    let asked = spawn_blocking(move || {
        let topic = &settings.topic;
        let (client, mut answers) = asked(&cluster, topic, &settings.group);
        if let Some(client) = client {
            answers.push(("right to read", may_read(&client, topic)));
            answers.push(("group", may_ask_for_group(&client, topic)));
        }
        answers
    });
    asked.await.unwrap_or_default()
}

pub(super) async fn sink(cluster: &KafkaCluster, settings: &SinkSettings) -> CheckAnswers {
    if let Err(error) = cluster.ready().await {
        return no_token(&error);
    }
    let (of_task, topic) = (cluster.clone(), settings.topic.clone());
    let asked = spawn_blocking(move || asked(&of_task, &topic, VIEW_GROUP));
    let (client, mut answers) = asked.await.unwrap_or_default();
    if client.is_some() {
        answers.push(("right to write", may_write(cluster, &settings.topic).await));
    }
    answers
}

/// A client where the topic is there.
fn asked(cluster: &KafkaCluster, topic: &str, group: &str) -> (Option<Asking>, CheckAnswers) {
    let owned = [
        ("group.id", group),
        ("enable.auto.commit", "false"),
        ("enable.partition.eof", "true"),
        ("allow.auto.create.topics", "false"),
    ];
    let config = cluster.client_config(&[], &owned);
    let made = config.create_with_context::<_, Asking>(LastFailure::new(cluster));
    let client = match made {
        Ok(client) => client,
        Err(error) => return (None, vec![("brokers", Err(fault(&error)))]),
    };
    // It gets its token.
    drop(client.poll(Duration::ZERO));
    let partitions = match client.fetch_metadata(Some(topic), TIMEOUT) {
        Ok(metadata) => partitions(&metadata, topic),
        Err(error) => {
            // Errors of connections are told while the client is polled, one at a time.
            (0..POLLS).for_each(|_| drop(client.poll(Duration::ZERO)));
            let last = client.context().reason.lock();
            let last = last.ok().and_then(|mut last| last.take());
            let remedy =
                "correct `brokers` and the properties of the connection, or start a broker";
            let fault = Fault::new(last.unwrap_or_else(|| error_text(&error)), remedy);
            return (None, vec![("brokers", Err(fault))]);
        }
    };
    let is_there = partitions.is_ok();
    let answers = vec![("brokers", Ok("answer".to_owned())), ("topic", partitions)];
    (is_there.then_some(client), answers)
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

fn may_read(client: &Asking, topic: &str) -> Result<String, Fault> {
    let mut end = TopicPartitionList::new();
    let assigned = end.add_partition_offset(topic, 0, Offset::End);
    assigned
        .and_then(|()| client.assign(&end))
        .map_err(|error| fault(&error))?;
    match client.poll(TIMEOUT) {
        Some(Ok(_) | Err(KafkaError::PartitionEOF(_))) => Ok("is given".to_owned()),
        Some(Err(error)) => Err(fault(&error)),
        None => Err(no_answer()),
    }
}

/// What it has committed may be asked by whoever may describe it; joining would disturb its members.
fn may_ask_for_group(client: &Asking, topic: &str) -> Result<String, Fault> {
    let mut asked = TopicPartitionList::new();
    asked.add_partition(topic, 0);
    let committed = client.committed_offsets(asked, GROUP_TIMEOUT);
    let committed = committed.map_err(|error| fault(&error))?;
    let offset = committed.elements().first().map(|it| it.offset());
    Ok(match offset {
        Some(Offset::Offset(_)) => "has committed".to_owned(),
        _ => "has committed nothing in partition 0: it begins at `start`".to_owned(),
    })
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
    let producer = config.create_with_context(LastFailure::new(cluster));
    let producer: FutureProducer<LastFailure> = producer.map_err(|error| fault(&error))?;
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

fn no_token(error: &NoToken) -> CheckAnswers {
    let remedy = "see that the authorization server runs and knows us";
    vec![("credentials", Err(Fault::new(error.to_string(), remedy)))]
}

fn no_answer() -> Fault {
    let remedy = "look whether all brokers can be reached from here";
    Fault::new("no answer in time", remedy)
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
        Code::OperationTimedOut | Code::MessageTimedOut => return no_answer(),
        _ => "look at the broker, and at the properties of the connection",
    };
    Fault::new(error_text(error), remedy)
}
