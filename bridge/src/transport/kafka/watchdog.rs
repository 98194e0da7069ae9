//! The watchdog: notices a client that knows no broker any more, which only a new client heals.
//!
//! librdkafka forgets a broker that an answer about topics does not name, and may be left with none
//! (librdkafka 2.10 and later, confluentinc/librdkafka#5301).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::take;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How often a client tells what it knows, as a property of librdkafka.
pub(super) const STATISTICS: (&str, &str) = ("statistics.interval.ms", "1000");
/// So many times in a row without a broker, and the client will not find back: for moments every
/// client is without one, while it goes back to the brokers it began with.
const MISSES_MAX: u32 = 2;

/// What is known of one client, or of one after another. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Watchdog(Arc<State>);

type Positions = BTreeMap<i32, (i64, Instant)>;

#[derive(Debug, Default)]
struct State {
    misses: AtomicU32,
    alarm: Notify,
    positions: Mutex<Positions>,
    /// Partitions that are paused: it is no fault that they stand still.
    paused: Mutex<BTreeSet<i32>>,
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

impl Watchdog {
    /// Takes what the client tells of itself. May be called on any thread.
    pub(super) fn look(&self, statistics: &[u8]) {
        let Ok(Statistics { brokers, topics }) = serde_json::from_slice(statistics) else {
            return;
        };
        self.note_positions(topics);
        // The others are names for what a client asks of a broker, such as the coordinator of a group.
        let is_broker = |broker: &Broker| matches!(&*broker.source, "learned" | "configured");
        if brokers.values().any(is_broker) {
            self.0.misses.store(0, Ordering::Relaxed);
        } else if self.0.misses.fetch_add(1, Ordering::Relaxed) + 1 == MISSES_MAX {
            self.raise();
        }
    }

    /// Says that the client will not find back.
    pub(super) fn raise(&self) {
        self.0.alarm.notify_one();
    }

    /// Forgets what is known: another client takes the place of the one before.
    pub(super) fn reset(&self) {
        self.0.misses.store(0, Ordering::Relaxed);
        self.paused().clear();
        // What may have been found of the one before is nothing to the other.
        self.alarm().now_or_never();
    }

    /// Waits until a client will not find back. May be dropped.
    pub(super) async fn alarm(&self) {
        self.0.alarm.notified().await;
    }

    fn note_positions(&self, topics: HashMap<String, Topic>) {
        let mut positions = self.positions();
        let before = take(&mut *positions);
        let partitions = topics.into_values().flat_map(|topic| topic.partitions);
        for (_, found) in partitions {
            let is_paused = self.paused().contains(&found.partition);
            if found.fetch_state == "active" && found.fetchq_cnt == 0 && !is_paused {
                let same = before.get(&found.partition);
                let same = same.filter(|(next, _)| *next == found.next_offset);
                let since = same.map_or_else(Instant::now, |(_, since)| *since);
                positions.insert(found.partition, (found.next_offset, since));
            }
        }
    }

    /// Partitions that are not to be read.
    pub(super) fn paused(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        self.0.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By partition of which nothing lies ready: the offset that is asked for, and since when.
    pub(super) fn positions(&self) -> MutexGuard<'_, Positions> {
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

    fn check(told: &[&str], is_alarmed: bool) {
        let watchdog = Watchdog::default();
        for statistics in told {
            watchdog.look(statistics.as_bytes());
        }
        let found = watchdog.alarm().now_or_never().is_some();
        assert_eq!(found, is_alarmed, "{told:?}");
    }

    #[test]
    fn a_client_without_brokers_twice_is_noticed() {
        check(&[NONE, NONE], true);
        check(&[ONE, LOGICAL, NONE, NONE], true);
        check(&[NONE], false);
        check(&[NONE, ONE, NONE], false);
        check(&[LOGICAL, FIRST, LOGICAL], false);
        check(&[ONE, ONE, FIRST], false);
        check(&["no statistics", "{}", "{}"], false);
    }

    #[test]
    fn a_partition_that_is_paused_may_stand_still() {
        const STILL: &str = r#"{"brokers":{},"topics":{"t":{"partitions":{
            "3":{"partition":3,"fetch_state":"active","fetchq_cnt":0,"next_offset":7}}}}}"#;
        let watchdog = Watchdog::default();
        watchdog.paused().insert(3);
        watchdog.look(STILL.as_bytes());
        assert!(watchdog.positions().is_empty());
        watchdog.paused().remove(&3);
        watchdog.look(STILL.as_bytes());
        assert_eq!(watchdog.positions().len(), 1);
    }

    #[test]
    fn one_that_was_made_anew_may_be_noticed_again() {
        let watchdog = Watchdog::default();
        for told in [NONE, NONE, NONE] {
            watchdog.look(told.as_bytes());
        }
        assert!(watchdog.alarm().now_or_never().is_some());
        assert!(watchdog.alarm().now_or_never().is_none());
        for told in [ONE, NONE, NONE] {
            watchdog.look(told.as_bytes());
        }
        assert!(watchdog.alarm().now_or_never().is_some());
        // The next one never knows a broker at all; nor does the one after it.
        for _ in 0..2 {
            watchdog.reset();
            watchdog.look(NONE.as_bytes());
            assert!(watchdog.alarm().now_or_never().is_none());
            watchdog.look(NONE.as_bytes());
            assert!(watchdog.alarm().now_or_never().is_some());
        }
        for told in [NONE, ONE, NONE, NONE] {
            watchdog.look(told.as_bytes());
        }
        watchdog.reset();
        assert!(watchdog.alarm().now_or_never().is_none());
    }
}
