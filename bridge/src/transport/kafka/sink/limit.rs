//! The largest batch of records that a topic takes, for those who want to know before they send.
//!
//! Where the brokers do not say, because we may not ask or nobody answers, nothing is known to be too
//! large. Nor is it where the client compresses, because the limit is one of compressed bytes.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use rdkafka::admin::{AdminClient, AdminOptions, ResourceSpecifier};
use rdkafka::config::ClientConfig;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::sleep;

use super::producer::close_apart;
use crate::transport::Outgoing;
use crate::transport::kafka::view::ViewEvents;

/// Pause between two questions: an operator may change the limit.
const PAUSE: Duration = Duration::from_secs(30);
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// A batch around its records, in format 2.
const BATCH_BYTES: usize = 61;

/// What is known of the limit.
pub(super) struct Limit {
    bytes: Rc<Cell<Option<usize>>>,
    task: JoinHandle<()>,
}

impl Limit {
    /// Asks from now on, unless the client compresses.
    pub(super) fn watch(mut config: ClientConfig, topic: String) -> Option<Self> {
        let is_compressed = ["compression.type", "compression.codec"]
            .iter()
            .any(|name| config.get(name).is_some_and(|codec| codec != "none"));
        if is_compressed {
            return None;
        }
        // Who asks only needs no identity as a producer.
        config.set("enable.idempotence", "false");
        let bytes = Rc::<Cell<_>>::default();
        let known = Rc::clone(&bytes);
        let task = spawn_local(async move {
            loop {
                known.set(ask(&config, &topic).await);
                sleep(PAUSE).await;
            }
        });
        Some(Self { bytes, task })
    }

    /// Whether a batch of this event alone is larger than the topic takes.
    pub(super) fn is_below(&self, event: &Outgoing) -> bool {
        self.bytes
            .get()
            .is_some_and(|most| batch_bytes(event) > most)
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn ask(config: &ClientConfig, topic: &str) -> Option<usize> {
    let client: AdminClient<_> = config.create_with_context(ViewEvents::default()).ok()?;
    let options = AdminOptions::new().request_timeout(Some(PATIENCE));
    let topics = [ResourceSpecifier::Topic(topic)];
    let answer = client.describe_configs(&topics, &options).await;
    close_apart(Some(client));
    let topic = answer.ok()?.pop()?.ok()?;
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
    // Attributes, and how far its time and its offset are from those of the batch.
    let around = 3 + varint(event.headers.len()) as usize;
    let record = around + body(&event.key) + body(&event.body) + headers.sum::<usize>();
    BATCH_BYTES + part(record)
}
