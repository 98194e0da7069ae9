//! Notices a client that knows no broker any more, which only a new client heals: librdkafka
//! forgets a broker that a metadata answer does not name, and may be left with none (2.10 and
//! later, confluentinc/librdkafka#5301). And a producer that no broker authenticates: with its end
//! what waits is told why, long before its time is over.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard};

use rdkafka::error::RDKafkaErrorCode;
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::shared::lock;

/// They cost more than all else that an idle client does.
const INTERVAL_MS: &str = if cfg!(test) { "1000" } else { "5000" };
pub(super) const STATISTICS: (&str, &str) = ("statistics.interval.ms", INTERVAL_MS);
/// For moments every client is without a broker: while it goes back to the bootstrap servers, or authenticates anew
/// with a token that has just expired and is refused once.
const MISSES_MAX: u32 = 2;

#[derive(Clone, Debug, Default)]
pub(super) struct Watchdog(Arc<(Mutex<ClientState>, Notify)>);

#[derive(Debug, Default)]
pub(super) struct ClientState {
    misses: u32,
    /// Statistics one after the other that showed no broker connected, with that error.
    unserved: u32,
    /// To any broker, as of the last seconds; unknown before the first statistics.
    pub(super) connected: Option<bool>,
    /// The last error of any broker, where it was one and none has served the client since.
    pub(super) authentication_error: Option<RDKafkaErrorCode>,
    /// When the coordinator of its group was last connected.
    pub(super) coordinated: Option<Instant>,
    /// Of partitions with nothing in their queue: the next offset, and since when.
    pub(super) positions: BTreeMap<i32, (i64, Instant)>,
    /// They make no progress, and that is no fault.
    pub(super) paused: BTreeSet<i32>,
    pub(super) partition_count: i32,
}

#[derive(Deserialize)]
struct Statistics {
    brokers: HashMap<String, BrokerStatistics>,
    #[serde(default)]
    topics: HashMap<String, TopicStatistics>,
    /// Of a producer, what waits.
    #[serde(default)]
    msg_cnt: u64,
    /// Of a member.
    cgrp: Option<GroupStatistics>,
}

#[derive(Deserialize)]
struct GroupStatistics {
    state: String,
}

#[derive(Deserialize)]
struct TopicStatistics {
    partitions: HashMap<String, PartitionStatistics>,
}

#[derive(Deserialize)]
struct PartitionStatistics {
    partition: i32,
    fetch_state: String,
    fetchq_cnt: u64,
    next_offset: i64,
}

#[derive(Deserialize)]
struct BrokerStatistics {
    source: String,
    #[serde(default)]
    state: String,
}

impl Watchdog {
    pub(super) fn read_statistics(&self, statistics: &[u8]) {
        let Ok(told) = serde_json::from_slice::<Statistics>(statistics) else {
            return;
        };
        let mut state = self.state();
        state.update_positions(told.topics);
        if told.cgrp.is_some_and(|group| group.state == "up") {
            state.coordinated = Some(Instant::now());
        }
        let is_connected = told.brokers.values().any(|broker| broker.state == "UP");
        state.connected = Some(is_connected);
        state.authentication_error.take_if(|_| is_connected);
        let in_a_row = |count: u32, again: bool| if again { count.saturating_add(1) } else { 0 };
        state.unserved = in_a_row(state.unserved, state.authentication_error.is_some());
        let waits_in_vain = state.not_authenticated().is_some() && told.msg_cnt > 0;
        // The other entries stand for roles, such as the coordinator of a group.
        let is_broker = |it: &BrokerStatistics| matches!(&*it.source, "learned" | "configured");
        state.misses = in_a_row(state.misses, !told.brokers.values().any(is_broker));
        if state.misses == MISSES_MAX || waits_in_vain {
            self.trigger();
        }
    }

    pub(super) fn trigger(&self) {
        self.0.1.notify_one();
    }

    /// May be dropped.
    pub(super) async fn triggered(&self) {
        self.0.1.notified().await;
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ClientState> {
        lock(&self.0.0)
    }
}

impl ClientState {
    /// Of one that takes the place of another that no broker authenticated.
    pub(super) fn not_authenticated_before(authentication_error: RDKafkaErrorCode) -> Self {
        Self {
            unserved: MISSES_MAX,
            connected: Some(false),
            authentication_error: Some(authentication_error),
            ..Self::default()
        }
    }

    /// Why no broker serves the client for some time.
    pub(super) fn not_authenticated(&self) -> Option<RDKafkaErrorCode> {
        self.authentication_error
            .filter(|_| self.unserved >= MISSES_MAX)
    }

    fn update_positions(&mut self, topics: HashMap<String, TopicStatistics>) {
        let before = take(&mut self.positions);
        let partitions = topics.into_values().flat_map(|topic| topic.partitions);
        for (_, found) in partitions {
            self.partition_count = self.partition_count.max(found.partition + 1);
            let is_paused = self.paused.contains(&found.partition);
            if found.fetch_state == "active" && found.fetchq_cnt == 0 && !is_paused {
                let same = before.get(&found.partition);
                let same = same.filter(|(next, _)| *next == found.next_offset);
                let since = same.map_or_else(Instant::now, |(_, since)| *since);
                let position = (found.next_offset, since);
                self.positions.insert(found.partition, position);
            }
        }
    }
}

#[cfg(test)]
mod tests;
