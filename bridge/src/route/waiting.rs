//! What an operator orders and asks of a route.

use std::cmp::Reverse;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::breaker::Circuit;
use super::item::Stage;
use super::{Now, Route};

/// Neither its data nor its `subject`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingEvent {
    pub id: String,
    pub source: String,
    pub r#type: String,
    pub position: String,
    pub attempts: u32,
    pub last_answer: Option<String>,
    /// Nothing where it is under way, is held, or waits for somebody.
    pub next_attempt: Option<Timestamp>,
}

impl Route {
    /// Nothing more is sent; what is under way ends.
    pub fn pause(&mut self, now: Now) {
        if self.paused.is_none() {
            tracing::warn!("route is paused by an operator, until resumed or started again");
        }
        self.paused.get_or_insert(now.elapsed);
    }

    pub fn resume(&mut self) {
        if self.paused.take().is_some() {
            tracing::info!("route is resumed by an operator");
        }
    }

    pub fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Ends back-offs, and lets an open circuit be probed at once, whatever `Retry-After` asked for.
    pub fn retry_now(&mut self, now: Now) {
        let waiting = self.lanes.waiting();
        tracing::info!(waiting, "an operator lets the route try again at once");
        self.lanes.wake(Duration::MAX);
        for endpoint in [&mut self.sink, &mut self.dead_letters] {
            endpoint.breaker.probe_now(now.elapsed);
        }
    }

    /// Events that were tried, or have become dead letters that are not written yet.
    pub fn waiting_count(&self) -> usize {
        self.lanes.waiting()
    }

    /// Those with this id, or those of the most attempts first.
    pub fn waiting(&self, id: Option<&str>, most: usize, now: Now) -> Vec<WaitingEvent> {
        let mut items: Vec<_> = self.lanes.all().collect();
        items.sort_by_key(|(item, _)| Reverse((item.stage, item.attempts)));
        let shown = items.into_iter().filter_map(|(item, due)| {
            let received = &item.delivery.received;
            let identity = self.config.identity(received);
            let [event_id, source, r#type] = identity.unwrap_or_default();
            if id.is_some_and(|id| id != event_id) {
                return None;
            }
            Some(WaitingEvent {
                id: event_id,
                source,
                r#type,
                position: received.position.to_string(),
                attempts: item.attempts,
                last_answer: item.last_answer.as_ref().map(|outcome| outcome.cause()),
                next_attempt: due.and_then(|due| self.next_attempt(item.stage, due, now)),
            })
        });
        shown.take(most).collect()
    }

    fn next_attempt(&self, stage: Stage, due: Duration, now: Now) -> Option<Timestamp> {
        let endpoint = match stage {
            Stage::DeadLetter => &self.dead_letters,
            Stage::Sink | Stage::Parked => &self.sink,
        };
        if self.is_paused() || endpoint.breaker.circuit() == Circuit::Retired {
            return None;
        }
        let due = due.max(endpoint.breaker.opens_at());
        now.wall.checked_add(due.saturating_sub(now.elapsed)).ok()
    }
}
