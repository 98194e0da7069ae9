//! The watchdog: notices a client that knows no broker any more, and a consumer that stands still
//! without an error although its broker has more for it. Only a new client heals either.
//!
//! librdkafka forgets a broker that an answer about topics does not name. A broker that stops or
//! starts can give an answer that names topics and no broker, itself included. Whoever hears it has
//! nobody left to ask and nobody left to connect to, and seldom finds back by itself: messages time
//! out one after another, partitions stand still without an error, long after the broker is back
//! (librdkafka 2.10 and later, confluentinc/librdkafka#5301).
//!
//! A consumer stands still when it asks for the same offset again and again, has nothing lying ready,
//! and that offset lies before the end that the broker told a while ago. The offset of the last record
//! would not do: behind it may lie nothing but the marks of transactions.

use std::collections::HashMap;
use std::mem::take;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use rdkafka::consumer::{Consumer, ConsumerContext, StreamConsumer};
use rdkafka::error::KafkaResult;
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

/// How often a client tells what it knows, as a property of librdkafka.
pub(super) const LOOK: (&str, &str) = ("statistics.interval.ms", "1000");
/// So many times in a row without a broker, and the client will not find back: for moments every
/// client is without one, while it goes back to the brokers it began with.
const LOOKS: u32 = 2;
/// A consumer that stands still is made anew after twice that time, and before three times of it.
const SILENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// Longest wait for a broker to say where a partition ends.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// What is known of one client, or of one after another. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Forsaken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    looks_in_vain: AtomicU32,
    is_certain: Notify,
    /// By partition of which nothing lies ready: the offset that is asked for, and since when.
    positions: Mutex<HashMap<i32, (i64, Instant)>>,
}

#[derive(Deserialize)]
struct Statistics {
    brokers: HashMap<String, Broker>,
    #[serde(default)]
    topics: HashMap<String, Topic>,
}

#[derive(Deserialize)]
struct Topic {
    partitions: HashMap<String, Partition>,
}

#[derive(Deserialize)]
struct Partition {
    partition: i32,
    fetch_state: String,
    fetchq_cnt: u64,
    next_offset: i64,
}

#[derive(Deserialize)]
struct Broker {
    source: String,
}

impl Forsaken {
    /// Takes what the client tells of itself. May be called on any thread.
    pub(super) fn look(&self, statistics: &[u8]) {
        let Ok(Statistics { brokers, topics }) = serde_json::from_slice(statistics) else {
            return;
        };
        self.note_positions(topics);
        // The others are names for what a client asks of a broker, such as the coordinator of a group.
        let is_broker = |broker: &Broker| matches!(&*broker.source, "learned" | "configured");
        if brokers.values().any(is_broker) {
            self.0.looks_in_vain.store(0, Ordering::Relaxed);
        } else if self.0.looks_in_vain.fetch_add(1, Ordering::Relaxed) + 1 == LOOKS {
            self.0.is_certain.notify_one();
        }
    }

    /// Forgets what is known: another client takes the place of the one before.
    pub(super) fn begin_anew(&self) {
        self.0.looks_in_vain.store(0, Ordering::Relaxed);
        // What may have been found of the one before is nothing to the other.
        self.is_certain().now_or_never();
    }

    /// Waits until a client will not find back. May be dropped.
    pub(super) async fn is_certain(&self) {
        self.0.is_certain.notified().await;
    }

    /// Watches a consumer of `topic`, as long as there is one, until it stands still although it
    /// `may_read`: then it will not find back. May be dropped.
    pub(super) async fn watch<C: ConsumerContext + 'static>(
        self,
        client: Weak<StreamConsumer<C>>,
        topic: Arc<str>,
        may_read: impl Fn() -> bool,
    ) {
        let mut ends = HashMap::new();
        loop {
            sleep(SILENCE).await;
            let mut still = self.positions().clone();
            still.retain(|_, (_, since)| since.elapsed() >= SILENCE && may_read());
            // What was there before this silence is read by now, or never will be.
            let has_more = |(partition, (next, _)): &(&i32, &_)| ends.get(*partition) > Some(next);
            if let Some((partition, _)) = still.iter().find(has_more) {
                tracing::error!(
                    topic = &*topic,
                    partition,
                    "kafka consumer stands still although there is more to read: if this repeats, look at the leader of the partition"
                );
                return self.0.is_certain.notify_one();
            }
            let (Some(client), topic) = (client.upgrade(), Arc::clone(&topic)) else {
                return;
            };
            let end = move |partition| {
                let (_, end) = client.fetch_watermarks(&topic, partition, ANSWER_TIMEOUT)?;
                Ok((partition, end))
            };
            let ask = move || still.into_keys().map(end).collect();
            let answer: Result<KafkaResult<_>, _> = spawn_blocking(ask).await;
            // Who gets no answer does not know.
            ends = answer.ok().and_then(Result::ok).unwrap_or_default();
        }
    }

    fn note_positions(&self, topics: HashMap<String, Topic>) {
        let mut positions = self.positions();
        let before = take(&mut *positions);
        let partitions = topics.into_values().flat_map(|topic| topic.partitions);
        for (_, found) in partitions {
            if found.fetch_state == "active" && found.fetchq_cnt == 0 {
                let same = before.get(&found.partition);
                let same = same.filter(|(next, _)| *next == found.next_offset);
                let since = same.map_or_else(Instant::now, |(_, since)| *since);
                positions.insert(found.partition, (found.next_offset, since));
            }
        }
    }

    fn positions(&self) -> MutexGuard<'_, HashMap<i32, (i64, Instant)>> {
        let positions = self.0.positions.lock();
        positions.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &str = r#"{"name":"x","brokers":{ },"topics":{}}"#;
    const LOGICAL: &str =
        r#"{"brokers":{"GroupCoordinator":{"nodeid":-1,"source":"logical","toppars":{}}}}"#;
    const ONE: &str = r#"{"brokers":{"b:9092/1":{"nodeid":1,"source":"learned","toppars":{}}}}"#;
    const FIRST: &str = r#"{"brokers":{"b:9092/bootstrap":{"nodeid":-1,"source":"configured"}}}"#;

    fn check(told: &[&str], is_certain: bool) {
        let forsaken = Forsaken::default();
        for statistics in told {
            forsaken.look(statistics.as_bytes());
        }
        let found = forsaken.is_certain().now_or_never().is_some();
        assert_eq!(found, is_certain, "{told:?}");
    }

    #[test]
    fn a_client_without_brokers_twice_is_forsaken() {
        check(&[NONE, NONE], true);
        check(&[ONE, LOGICAL, NONE, NONE], true);
        check(&[NONE], false);
        check(&[NONE, ONE, NONE], false);
        check(&[LOGICAL, FIRST, LOGICAL], false);
        check(&[ONE, ONE, FIRST], false);
        check(&["no statistics", "{}", "{}"], false);
    }

    #[test]
    fn one_that_was_made_anew_may_be_forsaken_again() {
        let forsaken = Forsaken::default();
        for told in [NONE, NONE, NONE] {
            forsaken.look(told.as_bytes());
        }
        assert!(forsaken.is_certain().now_or_never().is_some());
        assert!(forsaken.is_certain().now_or_never().is_none());
        for told in [ONE, NONE, NONE] {
            forsaken.look(told.as_bytes());
        }
        assert!(forsaken.is_certain().now_or_never().is_some());
        // The next one never knows a broker at all; nor does the one after it.
        for _ in 0..2 {
            forsaken.begin_anew();
            forsaken.look(NONE.as_bytes());
            assert!(forsaken.is_certain().now_or_never().is_none());
            forsaken.look(NONE.as_bytes());
            assert!(forsaken.is_certain().now_or_never().is_some());
        }
        for told in [NONE, ONE, NONE, NONE] {
            forsaken.look(told.as_bytes());
        }
        forsaken.begin_anew();
        assert!(forsaken.is_certain().now_or_never().is_none());
    }
}
