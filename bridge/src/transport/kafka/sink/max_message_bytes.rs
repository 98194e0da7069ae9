//! The largest batch of records that a topic takes, known before an event is sent. Nothing is known
//! where brokers do not say, nor where the client compresses: the limit is one of compressed bytes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::{Rc, Weak};
use std::time::Duration;

use bytes::Bytes;
use rdkafka::admin::{
    AdminClient, AdminOptions, ConfigResourceResult, OwnedResourceSpecifier, ResourceSpecifier,
};
use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaResult;
use tokio::sync::Notify;
use tokio::task::spawn_local;
use tokio::time::timeout;
use tracing::Instrument;

use super::producer::{Shared, shared};
use crate::logging::connection_span;
use crate::transport::Outgoing;
use crate::transport::kafka::client::{ConsumerEvents, close_in_background};

/// An operator may change the limit.
const INTERVAL: Duration = Duration::from_secs(30);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Around its records, in format 2.
const BATCH_BYTES: usize = 61;

type Limit = Cell<Option<usize>>;

pub(super) struct MaxMessageBytes {
    limit: Rc<Limit>,
    /// Asked for as long as one of its topics is watched.
    _topics: Rc<Topics>,
}

/// Of one client.
#[derive(Default)]
struct Topics {
    limits: RefCell<BTreeMap<String, Weak<Limit>>>,
    added: Notify,
}

impl Topics {
    /// Those that somebody watches.
    fn asked(&self) -> Vec<String> {
        let mut limits = self.limits.borrow_mut();
        limits.retain(|_, limit| limit.strong_count() > 0);
        limits.keys().cloned().collect()
    }

    fn of(&self, topic: &str) -> Option<Rc<Limit>> {
        self.limits.borrow().get(topic)?.upgrade()
    }
}

impl MaxMessageBytes {
    /// Until it is dropped; nothing if the client compresses.
    pub(super) fn watch(
        connection: &str,
        mut config: ClientConfig,
        topic: String,
    ) -> KafkaResult<Option<Self>> {
        thread_local! {
            static CLIENTS: Shared<Topics> = RefCell::default();
        }
        let is_compressed = ["compression.type", "compression.codec"]
            .iter()
            .any(|name| config.get(name).is_some_and(|codec| codec != "none"));
        if is_compressed {
            return Ok(None);
        }
        // A client that only reads configurations needs no identity as a producer.
        config.set("enable.idempotence", "false");
        let topics = shared(&CLIENTS, connection, config, |config| {
            let span = connection_span(connection);
            let events = ConsumerEvents::new(span.clone(), None, None);
            let client = config.create_with_context(events)?;
            let topics = Rc::<Topics>::default();
            spawn_local(poll(client, Rc::downgrade(&topics)).instrument(span));
            Ok(topics)
        })?;
        let limit = topics.of(&topic).unwrap_or_default();
        let mut limits = topics.limits.borrow_mut();
        limits.insert(topic, Rc::downgrade(&limit));
        drop(limits);
        topics.added.notify_one();
        Ok(Some(Self {
            limit,
            _topics: topics,
        }))
    }

    pub(super) fn is_exceeded_by(&self, event: &Outgoing) -> bool {
        let limit = self.limit.get();
        limit.is_some_and(|most| batch_bytes(event) > most)
    }
}

async fn poll(client: AdminClient<ConsumerEvents>, topics: Weak<Topics>) {
    let options = AdminOptions::new().request_timeout(Some(REQUEST_TIMEOUT));
    let mut logged = BTreeSet::new();
    while let Some(watched) = topics.upgrade() {
        let asked = watched.asked();
        let specifiers = asked.iter().map(|it| ResourceSpecifier::Topic(it));
        let specifiers: Vec<_> = specifiers.collect();
        let answer = client.describe_configs(&specifiers, &options).await;
        for topic in asked {
            let bytes = max_message_bytes(answer.as_deref().unwrap_or_default(), &topic);
            if let Some(limit) = watched.of(&topic) {
                limit.set(bytes);
            }
            // If a broker refuses, rdkafka returns an answer without properties.
            if answer.is_ok() && bytes.is_none() && logged.insert(topic.clone()) {
                tracing::info!(
                    topic,
                    "kafka sink may not ask for the limit of its topic (DescribeConfigs): what is too large is refused by the broker alone"
                );
            }
        }
        drop(timeout(INTERVAL, watched.added.notified()).await);
    }
    close_in_background(Some(client));
}

fn max_message_bytes(answer: &[ConfigResourceResult], topic: &str) -> Option<usize> {
    let is_asked = |specifier: &OwnedResourceSpecifier| matches!(specifier, OwnedResourceSpecifier::Topic(name) if name == topic);
    let mut found = answer.iter().flatten();
    let found = found.find(|found| is_asked(&found.specifier))?;
    found.get("max.message.bytes")?.value.as_ref()?.parse().ok()
}

/// What the broker compares: the event as the only record of a batch.
fn batch_bytes(event: &Outgoing) -> usize {
    let varint = |length: usize| {
        let bits = usize::BITS - (2 * length).leading_zeros();
        bits.div_ceil(7).max(1)
    };
    let part = |length: usize| varint(length) as usize + length;
    let body = |bytes: &Option<Bytes>| part(bytes.as_ref().map_or(0, Bytes::len));
    let headers = event.headers.iter();
    let headers = headers.map(|it| part(it.name.len()) + part(it.value.map_or(0, <[u8]>::len)));
    // Attributes, and the deltas of time and offset.
    let around = 3 + varint(event.headers.len()) as usize;
    let record = around + body(&event.key) + body(&event.body) + headers.sum::<usize>();
    BATCH_BYTES + part(record)
}
