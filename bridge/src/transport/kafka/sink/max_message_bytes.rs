//! The largest batch of records that a topic takes, known before an event is sent. Nothing is known
//! where brokers do not say, nor where the client compresses: the limit is one of compressed bytes.

use std::cell::RefCell;
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
use tracing::{Instrument, Span};

use crate::transport::Outgoing;
use crate::transport::kafka::client::{ClientEvents, ClosedInBackground};

/// An operator may change the limit.
const INTERVAL: Duration = Duration::from_secs(30);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Around its records, in format 2.
const BATCH_BYTES: usize = 61;

/// Of the topics of one producer, where it is known.
#[derive(Default)]
pub(super) struct MaxMessageBytes {
    limits: RefCell<BTreeMap<String, Option<usize>>>,
    added: Notify,
}

impl MaxMessageBytes {
    /// Nothing is asked if the client compresses.
    pub(super) fn watch(
        self: &Rc<Self>,
        mut config: ClientConfig,
        span: &Span,
        topic: &str,
    ) -> KafkaResult<()> {
        let is_compressed = ["compression.type", "compression.codec"]
            .iter()
            .any(|name| config.get(name).is_some_and(|codec| codec != "none"));
        if is_compressed {
            return Ok(());
        }
        if self.limits.borrow().is_empty() {
            // A client that only reads configurations needs no identity as a producer.
            config.set("enable.idempotence", "false");
            let events = ClientEvents::new(span.clone(), None);
            let client = ClosedInBackground::new(config.create_with_context(events)?);
            let poll = poll(client, Rc::downgrade(self));
            spawn_local(poll.instrument(span.clone()));
        }
        let mut limits = self.limits.borrow_mut();
        limits.entry(topic.to_owned()).or_default();
        self.added.notify_one();
        Ok(())
    }

    pub(super) fn is_exceeded_by(&self, topic: &str, event: &Outgoing) -> bool {
        let limit = self.limits.borrow().get(topic).copied().flatten();
        limit.is_some_and(|most| batch_bytes(event) > most)
    }
}

async fn poll(
    client: ClosedInBackground<AdminClient<ClientEvents>>,
    topics: Weak<MaxMessageBytes>,
) {
    let options = AdminOptions::new().request_timeout(Some(REQUEST_TIMEOUT));
    let mut logged = BTreeSet::new();
    while let Some(topics) = topics.upgrade() {
        let asked: Vec<String> = topics.limits.borrow().keys().cloned().collect();
        let specifiers = asked.iter().map(|it| ResourceSpecifier::Topic(it));
        let specifiers: Vec<_> = specifiers.collect();
        let answer = client.describe_configs(&specifiers, &options).await;
        for topic in asked {
            let bytes = max_message_bytes(answer.as_deref().unwrap_or_default(), &topic);
            // If a broker refuses, rdkafka returns an answer without properties.
            if answer.is_ok() && bytes.is_none() && logged.insert(topic.clone()) {
                tracing::info!(
                    topic,
                    "kafka sink may not ask for the limit of its topic (DescribeConfigs): what is too large is refused by the broker alone"
                );
            }
            topics.limits.borrow_mut().insert(topic, bytes);
        }
        drop(timeout(INTERVAL, topics.added.notified()).await);
    }
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
