//! The largest batch of records that a topic takes, known before an event is sent. Nothing is known
//! where brokers do not say, nor where the client compresses: the limit is one of compressed bytes.

use std::cell::Cell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use bytes::Bytes;
use rdkafka::admin::{AdminClient, AdminOptions, ConfigResourceResult, ResourceSpecifier};
use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaResult;
use tokio::task::spawn_local;
use tokio::time::sleep;
use tracing::Instrument;

use super::producer::close_in_background;
use crate::transport::Outgoing;
use crate::transport::kafka::client::ConsumerEvents;

/// An operator may change the limit.
const INTERVAL: Duration = Duration::from_secs(30);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Around its records, in format 2.
const BATCH_BYTES: usize = 61;

pub(super) struct MaxMessageBytes(Rc<Cell<Option<usize>>>);

impl MaxMessageBytes {
    /// Until it is dropped; nothing if the client compresses.
    pub(super) fn watch(mut config: ClientConfig, topic: String) -> KafkaResult<Option<Self>> {
        let is_compressed = ["compression.type", "compression.codec"]
            .iter()
            .any(|name| config.get(name).is_some_and(|codec| codec != "none"));
        if is_compressed {
            return Ok(None);
        }
        // A client that only reads configurations needs no identity as a producer.
        config.set("enable.idempotence", "false");
        let client = config.create_with_context(ConsumerEvents::default())?;
        let limit = Self(Rc::default());
        let poll = poll(client, topic, Rc::downgrade(&limit.0));
        spawn_local(poll.in_current_span());
        Ok(Some(limit))
    }

    pub(super) fn is_exceeded_by(&self, event: &Outgoing) -> bool {
        self.0.get().is_some_and(|most| batch_bytes(event) > most)
    }
}

async fn poll(
    client: AdminClient<ConsumerEvents>,
    topic: String,
    limit: Weak<Cell<Option<usize>>>,
) {
    let options = AdminOptions::new().request_timeout(Some(REQUEST_TIMEOUT));
    let topics = [ResourceSpecifier::Topic(&topic)];
    let mut is_logged = false;
    loop {
        let answer = client.describe_configs(&topics, &options).await.ok();
        let bytes = answer.as_deref().and_then(max_message_bytes);
        // If a broker refuses, rdkafka returns an answer without properties.
        if answer.is_some() && bytes.is_none() && !is_logged {
            tracing::info!(
                topic,
                "kafka sink may not ask for the limit of its topic (DescribeConfigs): what is too large is refused by the broker alone"
            );
            is_logged = true;
        }
        let Some(limit) = limit.upgrade() else {
            return close_in_background(Some(client));
        };
        limit.set(bytes);
        drop(limit);
        sleep(INTERVAL).await;
    }
}

fn max_message_bytes(answer: &[ConfigResourceResult]) -> Option<usize> {
    let topic = answer.first()?.as_ref().ok()?;
    topic.get("max.message.bytes")?.value.as_ref()?.parse().ok()
}

/// What the broker compares: the event as the only record of a batch.
fn batch_bytes(event: &Outgoing) -> usize {
    let varint = |length: usize| {
        (usize::BITS - (2 * length).leading_zeros())
            .div_ceil(7)
            .max(1)
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
