//! Ways in: one event is offered to a source, and the source says whether it has it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use rdkafka::producer::{FutureProducer, FutureRecord};
use tokio::time::timeout;

use crate::support::client::Client;
use crate::support::events::Numbered;
use crate::support::kafka::Topic;

/// See the module.
#[derive(Clone)]
pub(crate) enum Feed {
    Kafka {
        topic: Topic,
        /// The producer of the moment.
        producer: Arc<Mutex<Arc<FutureProducer>>>,
    },
    Http {
        client: Client,
        path: String,
    },
    JetStream {
        context: Context,
        subject: String,
    },
}

/// What became of an offer.
#[derive(Clone, Debug)]
pub(crate) enum Offered {
    /// The source has it for good; where, if it says so.
    Taken(Option<(i32, i64)>),
    /// Nobody knows, or it came at a bad time: offer it again after a while.
    Unknown(Duration),
    /// The bridge will never take it.
    Refused(String),
}

/// A message as it is offered.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) body: String,
}

const CONTENT_TYPE: &str = "application/cloudevents+json";
/// How long a sender waits for an answer: longer than the bridge takes to say 503.
const PATIENCE: Duration = Duration::from_secs(15);
const AGAIN: Duration = Duration::from_millis(100);

impl Offer {
    /// An event as it should be.
    pub(crate) fn of(event: &Numbered, padding: usize) -> Self {
        Self {
            id: event.id(),
            key: event.key.clone(),
            body: event.json(padding),
        }
    }

    /// One that lacks its `type`, which no destination should see.
    pub(crate) fn malformed(number: usize) -> Self {
        let event = Numbered {
            key: "malformed".to_owned(),
            number,
        };
        let body = event.json(8).replace("\"type\":", "\"tipe\":");
        Self {
            id: event.id(),
            key: event.key,
            body,
        }
    }
}

impl Feed {
    /// Into a topic.
    pub(crate) fn kafka(topic: &Topic) -> Self {
        Self::Kafka {
            topic: topic.clone(),
            producer: Arc::new(Mutex::new(producer(topic))),
        }
    }

    /// Offers it once.
    pub(crate) async fn offer(&self, offer: &Offer) -> Offered {
        match self {
            Self::Kafka { topic, producer } => write(topic, producer, offer).await,
            Self::Http { client, path } => post(client, path, offer).await,
            Self::JetStream { context, subject } => publish(context, subject, offer).await,
        }
    }
}

/// A client that writes each record once, unless it gives up.
fn producer(topic: &Topic) -> Arc<FutureProducer> {
    let mut client = topic.client();
    client
        .set("enable.idempotence", "true")
        .set("message.timeout.ms", PATIENCE.as_millis().to_string())
        .set("reconnect.backoff.max.ms", "500")
        .set("linger.ms", "2");
    Arc::new(client.create().unwrap())
}

async fn write(topic: &Topic, current: &Mutex<Arc<FutureProducer>>, offer: &Offer) -> Offered {
    let own = Arc::clone(&current.lock().unwrap());
    let headers = rdkafka::message::OwnedHeaders::new().insert(rdkafka::message::Header {
        key: "content-type",
        value: Some(CONTENT_TYPE),
    });
    let record = FutureRecord::to(&topic.name)
        .key(&offer.key)
        .payload(&offer.body)
        .headers(headers);
    match own.send(record, PATIENCE).await {
        Ok(place) => Offered::Taken(Some((place.partition, place.offset))),
        Err(_) => {
            // Perhaps it has forgotten every broker, which a broker that stops can bring about.
            let mut current = current.lock().unwrap();
            if Arc::ptr_eq(&current, &own) {
                *current = producer(topic);
            }
            Offered::Unknown(AGAIN)
        }
    }
}

async fn publish(context: &Context, subject: &str, offer: &Offer) -> Offered {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", CONTENT_TYPE);
    // The server knows a repeated offer by it, so the stream has each event once.
    headers.insert("Nats-Msg-Id", offer.id.as_str());
    let body = offer.body.clone().into();
    let exchange = async {
        let sent = context.publish_with_headers(subject.to_owned(), headers, body);
        sent.await.ok()?.await.ok()
    };
    match timeout(PATIENCE, exchange).await {
        Ok(Some(ack)) => Offered::Taken(Some((0, i64::try_from(ack.sequence).unwrap()))),
        _ => Offered::Unknown(AGAIN),
    }
}

async fn post(client: &Client, path: &str, offer: &Offer) -> Offered {
    let headers = [("content-type", CONTENT_TYPE)];
    let exchange = client.post(path, &headers, offer.body.clone());
    let Ok(Some(reply)) = timeout(PATIENCE, exchange).await else {
        return Offered::Unknown(AGAIN);
    };
    match reply.status.as_u16() {
        200..300 => Offered::Taken(None),
        // The body took too long, or the bridge asks for time.
        408 | 429 | 503 => {
            let wait = reply.header("retry-after");
            let wait = wait.and_then(|seconds| seconds.parse().ok());
            Offered::Unknown(wait.map_or(AGAIN, Duration::from_secs))
        }
        _ => Offered::Refused(format!("{} {}: {}", offer.id, reply.status, reply.text())),
    }
}
