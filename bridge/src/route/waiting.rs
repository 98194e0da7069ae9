//! What an operator orders and asks of a route.

use std::cmp::Reverse;
use std::mem;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::breaker::Circuit;
use super::item::{Item, Stage};
use super::{Now, Route};

/// Most events that are told at once.
const TOLD_MAX: usize = 50;
/// Bytes of events that are looked at, while those of all routes of the thread wait.
const BYTES_MAX: usize = 4 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingEvents {
    pub events: Vec<WaitingEvent>,
    /// The route holds others that were not looked at.
    pub more: bool,
}

/// Nothing of its identity where it cannot be read. Neither its data nor its `subject`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingEvent {
    pub id: Option<String>,
    pub source: Option<String>,
    pub r#type: Option<String>,
    pub position: String,
    pub attempts: u32,
    pub last_answer: Option<String>,
    /// Nothing where it is under way, is held, or waits for somebody.
    pub next_attempt: Option<Timestamp>,
}

impl Route {
    /// Nothing more is sent; what is under way ends.
    pub fn pause(&mut self, now: Now) {
        if !mem::replace(&mut self.is_paused, true) {
            self.summed_up = now.elapsed;
            tracing::warn!(
                "route is paused by an operator, until it is resumed or the bridge starts again"
            );
        }
    }

    pub fn resume(&mut self) {
        if mem::take(&mut self.is_paused) {
            tracing::info!("route is resumed by an operator");
        }
    }

    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Ends back-offs and what `Retry-After` asked for, probes an open circuit, and lets go what is held.
    pub fn retry_now(&mut self, now: Now) {
        let waiting = self.waiting_count();
        tracing::info!(waiting, "an operator lets the route try again at once");
        self.lanes.wake(Duration::MAX);
        self.lanes.unpark();
        for endpoint in [&mut self.sink, &mut self.dead_letters] {
            endpoint.breaker.probe_now(now.elapsed);
        }
    }

    /// Events that were tried, or have become dead letters that are not written yet.
    pub fn waiting_count(&self) -> usize {
        let items = self.lanes.all().map(|(item, _)| item);
        items.filter(|item| item.has_failed()).count()
    }

    /// Those with this id, or those of the most attempts first.
    pub fn waiting(&self, id: Option<&str>, now: Now) -> WaitingEvents {
        let mut items: Vec<_> = self.lanes.all().collect();
        items.sort_by_key(|(item, _)| Reverse((item.stage.is_none(), item.stage, item.attempts)));
        let (mut waiting, mut bytes) = (WaitingEvents::default(), 0);
        for (item, due) in items {
            if waiting.events.len() == TOLD_MAX || bytes >= BYTES_MAX {
                waiting.more = true;
                break;
            }
            let received = &item.delivery.received;
            bytes += received.byte_len();
            let [event_id, source, r#type] = received.identity(&self.config.decoder);
            if id.is_some() && id != event_id.as_deref() {
                continue;
            }
            waiting.events.push(WaitingEvent {
                id: event_id,
                source,
                r#type,
                position: received.position.to_string(),
                attempts: item.attempts,
                last_answer: item.last_answer.as_ref().map(|outcome| outcome.cause()),
                next_attempt: self.next_attempt(item, due, now),
            });
        }
        waiting
    }

    fn next_attempt(&self, item: &Item, due: Option<Duration>, now: Now) -> Option<Timestamp> {
        let endpoint = match item.stage? {
            Stage::DeadLetter => &self.dead_letters,
            Stage::Sink => &self.sink,
        };
        if self.is_paused() || endpoint.breaker.circuit() == Circuit::Retired {
            return None;
        }
        let due = due?.max(endpoint.breaker.opens_at());
        now.wall.checked_add(due.saturating_sub(now.elapsed)).ok()
    }
}
