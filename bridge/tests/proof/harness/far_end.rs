//! Far ends that are logs: read from their first message on by a client of the harness's own, past
//! every proxy, while the run lasts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_nats::jetstream::Context;
use futures_util::StreamExt;
use futures_util::stream::iter;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::{Message, Offset, TopicPartitionList};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::ledger::Ledger;
use crate::support::kafka::{PARTITIONS, Topic, read_record};
use crate::support::wire;

/// See the module.
#[derive(Debug)]
pub(crate) struct Tail {
    read: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

const PAUSE: Duration = Duration::from_millis(20);
/// One by one they would come slower than they are written.
const AT_ONCE: usize = 32;
/// After so long without a record, a client is not trusted any more: it may have forgotten every
/// broker, which a broker that stops can bring about.
const SILENCE: Duration = Duration::from_secs(5);

impl Tail {
    /// Of a topic.
    pub(crate) fn of_topic(topic: &Topic, ledger: &Arc<Ledger>) -> Self {
        let (topic, ledger) = (topic.clone(), Arc::clone(ledger));
        let (read, stop) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (count, stopped) = (Arc::clone(&read), Arc::clone(&stop));
        let task = tokio::task::spawn_blocking(move || {
            let mut places = vec![Offset::Beginning; PARTITIONS as usize];
            let mut consumer = reader(&topic, &places);
            let mut heard = Instant::now();
            while !stopped.load(Ordering::Relaxed) {
                // Errors tell of a broker that is away; it comes back.
                if let Some(Ok(message)) = consumer.poll(PAUSE) {
                    ledger.arrived(&wire::of_record(&read_record(&message)));
                    count.fetch_add(1, Ordering::Relaxed);
                    places[message.partition() as usize] = Offset::Offset(message.offset() + 1);
                    heard = Instant::now();
                } else if heard.elapsed() > SILENCE {
                    consumer = reader(&topic, &places);
                    heard = Instant::now();
                }
            }
        });
        Self { read, stop, task }
    }

    /// Of a stream, message by message: nothing that a consumer keeps can be lost with a server.
    pub(crate) fn of_stream(context: &Context, stream: &str, ledger: &Arc<Ledger>) -> Self {
        let (context, stream) = (context.clone(), stream.to_owned());
        let ledger = Arc::clone(ledger);
        let (read, stop) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (count, stopped) = (Arc::clone(&read), Arc::clone(&stop));
        let task = tokio::spawn(async move {
            let stream = context.get_stream(&stream).await.unwrap();
            while !stopped.load(Ordering::Relaxed) {
                // An error tells that the server is away.
                let info = stream.get_info().await;
                let last = info.map_or(0, |info| info.state.last_sequence);
                let first = count.load(Ordering::Relaxed) as u64 + 1;
                let messages = iter(first..=last).map(|sequence| stream.get_raw_message(sequence));
                let mut messages = messages.buffered(AT_ONCE);
                while let Some(Ok(message)) = messages.next().await {
                    ledger.arrived(&wire::of_json(&message.payload));
                    count.fetch_add(1, Ordering::Relaxed);
                }
                sleep(PAUSE).await;
            }
        });
        Self { read, stop, task }
    }

    /// Messages read so far.
    pub(crate) fn read(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    pub(crate) async fn finish(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
    }
}

/// Reads each partition from its place on.
fn reader(topic: &Topic, places: &[Offset]) -> BaseConsumer {
    let mut client = topic.client();
    client
        .set("group.id", "proof-tail")
        .set("enable.auto.commit", "false")
        .set("reconnect.backoff.max.ms", "500");
    let consumer: BaseConsumer = client.create().unwrap();
    let mut all = TopicPartitionList::new();
    for (partition, place) in (0..).zip(places) {
        let added = all.add_partition_offset(&topic.name, partition, *place);
        added.unwrap();
    }
    consumer.assign(&all).unwrap();
    consumer
}
